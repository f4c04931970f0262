// Memory that is put back, poisoned and compared on the device, against the same on the host.
#include "programs/capture/probe_memory.h"

#include <gtest/gtest.h>

#include "doubling_launch.h"

namespace autokernel::programs {
namespace {

class ProbeMemoryTest : public testing::Test {
 protected:
  ProbeMemoryTest() { memory_.add_poison(kPoison, 0, poison_); }

  [[nodiscard]] Bytes now() const {
    Bytes bytes(expected_.size());
    replay_.read(0, bytes);
    return bytes;
  }
  [[nodiscard]] bool differs(std::uint64_t begin, std::uint64_t end) const {
    return memory_.differs(0, kPoison, {.range = 0, .begin = begin, .end = end});
  }

  static constexpr std::size_t kPoison = 2;
  const CapturedLaunch launch_ = doubling_launch();
  const Bytes expected_ = launch_.ranges[0].after;
  const Bytes poison_ = Bytes(expected_.size(), std::byte{0x7b});
  const driver::Driver driver_ = driver::Driver::open(driver::parse_device("cpu"));
  const driver::Device device_{driver_};
  const Replay replay_{launch_, device_, whole_ranges(launch_)};
  ProbeMemory memory_{device_, launch_, replay_, {expected_}};
};

TEST_F(ProbeMemoryTest, PutsARangeBack) {
  replay_.write(0, poison_);
  memory_.restore(0);
  EXPECT_EQ(now(), launch_.ranges[0].before);
}

TEST_F(ProbeMemoryTest, PoisonsThatPartAlone) {
  memory_.restore(0);
  memory_.put(kPoison, {.range = 0, .begin = 3, .end = 18});
  Bytes right = launch_.ranges[0].before;
  std::fill(right.begin() + 3, right.begin() + 18, std::byte{0x7b});
  EXPECT_EQ(now(), right);
}

TEST_F(ProbeMemoryTest, FindsNoDifferenceWhereThereIsNone) {
  replay_.write(0, expected_);
  EXPECT_FALSE(differs(0, 0));
  EXPECT_FALSE(differs(0, expected_.size()));
}

TEST_F(ProbeMemoryTest, FindsEachByteThatDiffers) {
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    Bytes changed = expected_;
    changed[i] ^= std::byte{0x40};
    replay_.write(0, changed);
    EXPECT_TRUE(differs(0, 0)) << i;
  }
}

TEST_F(ProbeMemoryTest, LetsPoisonStandWhereItWasPutAndNowhereElse) {
  for (const std::size_t i : {0U, 1U, 17U, 500U, 1'999U}) {
    Bytes changed = expected_;
    changed[i] = std::byte{0x7b};
    if (changed[i] == expected_[i]) continue;
    replay_.write(0, changed);
    EXPECT_FALSE(differs(i, i + 1)) << i;
    EXPECT_TRUE(differs(i + 1, expected_.size())) << i;
    EXPECT_TRUE(differs(0, i)) << i;
    // Neither right nor what was put there.
    changed[i] ^= std::byte{1};
    if (changed[i] == expected_[i]) continue;
    replay_.write(0, changed);
    EXPECT_TRUE(differs(i, i + 1)) << i;
  }
}

TEST_F(ProbeMemoryTest, LooksAtNothingAroundTheRange) {
  replay_.write(0, expected_);
  device_.copy_in(replay_.address(0) - 1, std::array{std::byte{0x11}});
  device_.copy_in(replay_.address(0) + expected_.size(), std::array{std::byte{0x22}});
  EXPECT_FALSE(differs(0, 0));
}

}  // namespace
}  // namespace autokernel::programs
