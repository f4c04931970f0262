#include "autokernel/programs/captured_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "autokernel/base/error.h"
#include "support/scratch_folder.h"

namespace autokernel::programs {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kLaunch =
    "autokernel-capture\t1\noccurrence\t3\nkernel\tadd\ngrid\t40\t1\t1\nblock\t256\t1\t1\n"
    "dynamic_shared\t0\ncooperative\t0\nstream\town\n"
    "attribute\t4\t020000000100000001000000\nmost_dynamic_shared\t49152\n"
    "capability\t9\t0\nparameter\t0\t8\nparameter\t8\t4\n"
    "bytes\t000001000000000005000000\npointer\t0\t65536\n"
    "range\t65536\t100\t65536\t100\tdevice\nend\twhole\n";

class Capture : public testing::Test {
 protected:
  void write(const std::string& launch) {
    (void)scratch_.write("launch.txt", launch);
    (void)scratch_.write("image.bin", ".version 8.0");
    (void)scratch_.write("memory-0-before.bin", std::string(100, 'a'));
    // Block 0, which is shorter than a whole one.
    (void)scratch_.write("memory-0-after.bin", std::string(8, '\0') + std::string(100, 'b'));
  }
  [[nodiscard]] CapturedLaunch read() const { return read_capture(scratch_.path(), Memory::read); }

  const test::ScratchFolder scratch_;
};

TEST_F(Capture, IsReadAsItWasWritten) {
  write(kLaunch);
  const CapturedLaunch launch = read();
  EXPECT_EQ(launch.kernel, "add");
  EXPECT_EQ(launch.occurrence, 3U);
  EXPECT_EQ(launch.cluster, (Extent{.x = 2, .y = 1, .z = 1}));
  ASSERT_EQ(launch.ranges.size(), 1U);
  EXPECT_EQ(launch.ranges[0].before[99], std::byte{'a'});
  EXPECT_EQ(launch.ranges[0].after[99], std::byte{'b'});
  EXPECT_EQ(launch.parameters[1].bytes, 4U);
}

TEST_F(Capture, ThatFailedSaysWhy) {
  write("autokernel-capture\t1\nkernel\tadd\nend\ttrouble\tno room\n");
  EXPECT_EQ(read().trouble, "no room");
}

TEST_F(Capture, CutAnywhereIsRefusedInWords) {
  const std::string whole = kLaunch;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write(whole.substr(0, length));
    EXPECT_THAT([&] { (void)read(); }, ThrowsMessage<Error>(HasSubstr("damaged")));
  }
}

TEST_F(Capture, ThatLiesAboutItsMemoryIsRefused) {
  write(kLaunch);
  (void)scratch_.write("memory-0-before.bin", "short");
  EXPECT_THAT([&] { (void)read(); }, ThrowsMessage<Error>(HasSubstr("damaged")));
  write(kLaunch);
  (void)scratch_.write("memory-0-after.bin", std::string(8, '\x7f') + "x");
  EXPECT_THAT([&] { (void)read(); }, ThrowsMessage<Error>(HasSubstr("damaged")));
}

TEST_F(Capture, WithAParameterOutsideItsBytesIsRefused) {
  std::string launch = kLaunch;
  launch.replace(launch.find("parameter\t8\t4"), 13, "parameter\t9\t4");
  write(launch);
  EXPECT_THAT([&] { (void)read(); }, ThrowsMessage<Error>(HasSubstr("damaged")));
}

}  // namespace
}  // namespace autokernel::programs
