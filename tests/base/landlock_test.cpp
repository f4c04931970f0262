#include "autokernel/base/landlock.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <thread>

#include "support/scratch_folder.h"

namespace autokernel {
namespace {

bool can_read(const std::filesystem::path& file) { return std::ifstream(file).good(); }
bool can_write(const std::filesystem::path& file) { return std::ofstream(file).good(); }

class Landlock : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_landlock()) GTEST_SKIP() << "this kernel has no Landlock";
  }
  // Runs on a thread that may read below `allowed` alone.
  template <typename Work>
  void confined(Work work) {
    std::thread([&] {
      const std::array readable = {allowed_, scratch_.path() / "not there"};
      EXPECT_TRUE(confine_thread_to_reading(readable));
      work();
    }).join();
  }

  test::ScratchFolder scratch_;
  std::filesystem::path allowed_ = scratch_.folder("allowed");
  std::filesystem::path inside_ = scratch_.write("allowed/deep/header.h", "text");
  std::filesystem::path outside_ = scratch_.write("outside/secret", "text");
};

TEST_F(Landlock, LeavesReadingBelowWhatIsAllowed) {
  confined([&] { EXPECT_TRUE(can_read(inside_)); });
}

TEST_F(Landlock, TakesReadingElsewhere) {
  confined([&] {
    EXPECT_FALSE(can_read(outside_));
    EXPECT_FALSE(can_read("/etc/passwd"));
  });
}

TEST_F(Landlock, SeesThroughPathsThatLeadOut) {
  std::filesystem::create_symlink(outside_, allowed_ / "link");
  confined([&] {
    EXPECT_FALSE(can_read(allowed_ / "link"));
    EXPECT_FALSE(can_read(allowed_ / ".." / "outside" / "secret"));
  });
}

TEST_F(Landlock, TakesWritingEverywhere) {
  confined([&] {
    EXPECT_FALSE(can_write(inside_));
    EXPECT_FALSE(can_write(allowed_ / "new"));
    EXPECT_FALSE(can_write(outside_));
  });
}

TEST_F(Landlock, HoldsForThreadsThatAreStartedLater) {
  confined([&] { std::thread([&] { EXPECT_FALSE(can_read(outside_)); }).join(); });
}

TEST_F(Landlock, LeavesOtherThreadsAlone) {
  confined([] {});
  EXPECT_TRUE(can_read(outside_));
  EXPECT_TRUE(can_write(scratch_.path() / "outside" / "new"));
}

}  // namespace
}  // namespace autokernel
