#include "programs/profile/kept_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "programs/traces.h"

namespace autokernel::programs {
namespace {

TEST(KeptMemory, IsGivenUpToItsLimit) {
  KeptMemory memory("cannot import it", 100);
  EXPECT_NO_THROW(memory.take(60));
  EXPECT_NO_THROW(memory.take(40));
  EXPECT_THAT([&] { memory.take(1); }, refuses_with("it has too many events"));
}

}  // namespace
}  // namespace autokernel::programs
