#include "autokernel/base/environment.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace autokernel {
namespace {

using testing::Contains;
using testing::Key;
using testing::Not;
using testing::Pair;

TEST(OwnVariables, AreThoseOfNowWithAllOfTheirValues) {
  ::setenv("TEST_WITH_EQUALS", "a=b", 1);  // NOLINT(concurrency-mt-unsafe): one thread
  ::setenv("TEST_EMPTY", "", 1);           // NOLINT(concurrency-mt-unsafe): one thread
  EXPECT_THAT(own_variables(), Contains(Pair("TEST_WITH_EQUALS", "a=b")));
  EXPECT_THAT(own_variables(), Contains(Pair("TEST_EMPTY", "")));
  ::unsetenv("TEST_WITH_EQUALS");  // NOLINT(concurrency-mt-unsafe): one thread
  ::unsetenv("TEST_EMPTY");        // NOLINT(concurrency-mt-unsafe): one thread
  EXPECT_THAT(own_variables(), Not(Contains(Key("TEST_WITH_EQUALS"))));
}

}  // namespace
}  // namespace autokernel
