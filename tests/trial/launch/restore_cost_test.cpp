#include "trial/launch/restore_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trial/launch/memory_driver.h"

namespace autokernel::trial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Bytes bytes_of(std::size_t count, int value) { return Bytes(count, static_cast<std::byte>(value)); }

class Objects : public testing::Test {
 protected:
  Objects()
      : counters_(device().allocate(64)),
        table_(device().allocate(100)),
        objects_({{counters_.address(), bytes_of(64, 0)}, {table_.address(), bytes_of(100, 7)}}),
        restore_cost_(device(), objects_),
        stream_(device().make_stream()) {
    for (const ModuleObject& object : objects_) device().copy_in(object.address, object.initial);
    driver_.journal.clear();
  }

  // What is queued beside a launch.
  [[nodiscard]] std::vector<std::string> queued() {
    driver_.journal.clear();
    EXPECT_FALSE(restore_cost_.queue(stream_));
    return driver_.journal;
  }
  [[nodiscard]] const driver::Device& device() const { return driver_.device(); }
  void set(const driver::Buffer& object, const Bytes& bytes) const {
    device().copy_in(object.address(), bytes);
  }

  MemoryDriver driver_;
  driver::Buffer counters_;
  driver::Buffer table_;
  std::vector<ModuleObject> objects_;
  RestoreCost restore_cost_;
  driver::Stream stream_;
};

TEST_F(Objects, ThatNoLaunchChangesCostNothing) {
  EXPECT_FALSE(restore_cost_.note_changes());
  EXPECT_THAT(queued(), IsEmpty());
  EXPECT_EQ(restore_cost_.queued(), 0U);
}

TEST_F(Objects, OfZerosCostTheWritingOfZeros) {
  set(counters_, bytes_of(64, 1));
  EXPECT_TRUE(restore_cost_.note_changes());
  EXPECT_THAT(queued(), ElementsAre("zero 64"));
  EXPECT_EQ(restore_cost_.queued(), 1U);
}

TEST_F(Objects, OfZerosHaveThemAfterwards) {
  set(counters_, bytes_of(64, 1));
  ASSERT_TRUE(restore_cost_.note_changes());
  ASSERT_THAT(queued(), ElementsAre("zero 64"));
  Bytes found(64);
  device().copy_out(found, counters_.address());
  EXPECT_EQ(found, bytes_of(64, 0));
}

TEST_F(Objects, OfOtherBytesCostTwiceAsMany) {
  set(table_, bytes_of(1, 8));
  EXPECT_TRUE(restore_cost_.note_changes());
  EXPECT_THAT(queued(), ElementsAre("zero 200"));
}

TEST_F(Objects, OfOtherBytesAreLeftAsTheyAre) {
  set(table_, bytes_of(1, 8));
  ASSERT_TRUE(restore_cost_.note_changes());
  set(table_, bytes_of(1, 7));
  ASSERT_THAT(queued(), ElementsAre("zero 200"));
  Bytes found(100);
  device().copy_out(found, table_.address());
  EXPECT_EQ(found, bytes_of(100, 7));
}

TEST_F(Objects, ThatChangedOnceCostForEver) {
  set(counters_, bytes_of(64, 1));
  ASSERT_TRUE(restore_cost_.note_changes());
  set(counters_, bytes_of(64, 0));
  EXPECT_FALSE(restore_cost_.note_changes());
  EXPECT_THAT(queued(), ElementsAre("zero 64"));
}

TEST_F(Objects, AreNewsWhenTheyChangeForTheFirstTime) {
  set(counters_, bytes_of(64, 1));
  EXPECT_TRUE(restore_cost_.note_changes());
  EXPECT_FALSE(restore_cost_.note_changes());
  set(table_, bytes_of(1, 8));
  EXPECT_TRUE(restore_cost_.note_changes());
  EXPECT_THAT(queued(), ElementsAre("zero 64", "zero 200"));
}

}  // namespace
}  // namespace autokernel::trial
