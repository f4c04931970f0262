#include "autokernel/base/owned.h"

#include <gtest/gtest.h>

#include <vector>

namespace autokernel {
namespace {

// Handles released, in order.
using Released = std::vector<int>;

Owned<int> owned(int handle, Released& released) {
  return {handle, [&released](int h) { released.push_back(h); }};
}

TEST(Owned, GivesItsHandleBackOnce) {
  Released released;
  {
    const auto owner = owned(7, released);
  }
  EXPECT_EQ(released, Released{7});
}

TEST(Owned, ThatIsEmptyGivesNothingBack) {
  {
    const Owned<int> nothing;
  }
  SUCCEED();
}

TEST(Owned, PassesItsHandleOnByMove) {
  Released released;
  {
    auto first = owned(7, released);
    const auto second = std::move(first);
    EXPECT_EQ(second.get(), 7);
    EXPECT_TRUE(released.empty());
  }
  EXPECT_EQ(released, Released{7});
}

TEST(Owned, ThatIsAssignedToGivesItsOldHandleBack) {
  Released released;
  auto owner = owned(7, released);
  owner = owned(8, released);
  EXPECT_EQ(released, Released{7});
  EXPECT_EQ(owner.get(), 8);
}

TEST(Owned, ThatIsReleasedGivesNothingBack) {
  Released released;
  {
    auto owner = owned(7, released);
    EXPECT_EQ(owner.release(), 7);
  }
  EXPECT_TRUE(released.empty());
}

}  // namespace
}  // namespace autokernel
