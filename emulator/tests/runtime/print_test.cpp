#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

#include "runtime/kernel_launch.h"
#include "runtime/print_format.h"

namespace emulator::runtime {
namespace {

using testing::HasSubstr;

bool read_here(std::uint64_t address, std::uint64_t bytes, void* to) {
  if (address < 65536) return false;
  std::memcpy(to, host_pointer<const void>(address), bytes);
  return true;
}

// Arguments as vprintf finds them: packed, each at its natural alignment.
class Packed {
 public:
  template <typename T>
  Packed& add(T value) {
    size_ = (size_ + sizeof value - 1) / sizeof value * sizeof value;
    std::memcpy(bytes_ + size_, static_cast<const void*>(&value), sizeof value);
    size_ += sizeof value;
    return *this;
  }
  [[nodiscard]] std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(bytes_); }

 private:
  alignas(8) char bytes_[256] = {};
  std::size_t size_ = 0;
};

std::string print(const char* format, const Packed& arguments = {}) {
  std::uint64_t bad = 0;
  const auto printed =
      format_print(reinterpret_cast<std::uint64_t>(format), arguments.address(), read_here, bad);
  return printed ? printed->text : "unreadable";
}

TEST(Print, FormatsIntegersOfBothWidths) {
  EXPECT_EQ(print("%d %u %x|%X", Packed().add(-5).add(7U).add(255U).add(255U)), "-5 7 ff|FF");
  EXPECT_EQ(print("%d %lld", Packed().add(1).add(std::int64_t{-1} << 40)), "1 -1099511627776");
  EXPECT_EQ(print("%lu %zu", Packed().add(~0ULL).add(std::uint64_t{3})), "18446744073709551615 3");
}

TEST(Print, FormatsFloats) {
  EXPECT_EQ(print("%f %e %g %.2f", Packed().add(1.5).add(1.5).add(1e-10).add(2.0 / 3)),
            "1.500000 1.500000e+00 1e-10 0.67");
}

TEST(Print, HonoursFlagsWidthAndPrecision) {
  EXPECT_EQ(print("[%5d|%-5d|%05d|%+d|% d|%#x]",
                  Packed().add(42).add(42).add(42).add(42).add(42).add(42)),
            "[   42|42   |00042|+42| 42|0x2a]");
  EXPECT_EQ(print("[%*d|%.*f]", Packed().add(4).add(7).add(1).add(0.25)), "[   7|0.2]");
}

TEST(Print, FormatsStringsCharactersAndPointers) {
  EXPECT_EQ(print("%s|%.3s|%c", Packed().add("hello").add("hello").add(int{'x'})), "hello|hel|x");
  EXPECT_EQ(print("%p", Packed().add(std::uint64_t{0xabc0})), "0xabc0");
}

TEST(Print, LeavesPercentSignsAndUnknownConversionsAlone) {
  EXPECT_EQ(print("100%% %k 5%"), "100% %k 5%");
}

TEST(Print, FormatsLongerThanAnyFixedBuffer) {
  EXPECT_EQ(print("%300d", Packed().add(1)).size(), 300);
}

TEST(Print, NeverReadsAStringItMayNot) {
  EXPECT_EQ(print("%s", Packed().add(std::uint64_t{16})), "unreadable");
}

std::string flushed(PrintBuffer& buffer, std::string* notes = nullptr) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  char* note_text = nullptr;
  std::size_t note_size = 0;
  std::FILE* note_file = open_memstream(&note_text, &note_size);
  buffer.flush(out, note_file);
  std::fclose(out);
  std::fclose(note_file);
  std::string result(text, size);
  if (notes != nullptr) notes->assign(note_text, note_size);
  std::free(text);
  std::free(note_text);
  return result;
}

TEST(PrintBuffer, GivesTextOutOnceInOrder) {
  PrintBuffer buffer;
  buffer.append("a");
  buffer.append("b");

  EXPECT_EQ(flushed(buffer), "ab");
  EXPECT_EQ(flushed(buffer), "");
}

TEST(PrintBuffer, DropsTheOldestTextWhenFullAndSaysHowMuch) {
  PrintBuffer buffer(10);
  buffer.append("0123456");
  buffer.append("abcdef");

  std::string notes;
  EXPECT_EQ(flushed(buffer, &notes), "abcdef");
  EXPECT_THAT(notes, HasSubstr("7 bytes of printf output were dropped"));
}

TEST(PrintEntryPoint, PrintsOncePerLaneAndCountsArguments) {
  KernelLaunch kernel;
  const char* format = "lane %d\n";
  ASSERT_TRUE(kernel.memory.adopt(reinterpret_cast<std::uint64_t>(format), 9));
  kernel.pass(reinterpret_cast<std::uint64_t>(format));
  kernel.launch.block = {32, 1, 1};
  kernel.launch.local_bytes_per_thread = 16;

  const auto outcome = kernel.run([](WarpContext* context) {
    for (std::uint32_t lane = 0; lane < 2; ++lane) {
      std::uint8_t* frame = context->local + std::size_t{lane} * context->local_stride;
      std::memcpy(frame, &lane, 4);
      context->address[lane] = parameter(*context, 0);
      put(*context, 0, lane, reinterpret_cast<std::uint64_t>(frame));
    }
    emu_printf(context, 3, 21);
    if (get<std::uint32_t>(*context, 1, 1) != 1)
      emu_fault(context, static_cast<std::uint32_t>(FaultKind::trap), 1, 22);
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(flushed(kernel.prints), "lane 0\nlane 1\n");
}

TEST(PrintEntryPoint, OfAnUnreadableFormatIsAFault) {
  KernelLaunch kernel;

  const auto outcome = kernel.run([](WarpContext* context) {
    context->address[0] = 8;
    emu_printf(context, 1, 21);
  });

  EXPECT_THAT(outcome.text, HasSubstr("PTX line 21: printf"));
}

TEST(AssertEntryPoint, PrintsTheLineCudaPrints) {
  KernelLaunch kernel;
  static constexpr char kTexts[] = "x > 0\0kernel.cu\0void f()";
  ASSERT_TRUE(kernel.memory.adopt(reinterpret_cast<std::uint64_t>(kTexts), sizeof kTexts));
  kernel.launch.block = {4, 1, 1};
  kernel.launch.grid = {3, 1, 1};

  testing::internal::CaptureStderr();
  const auto outcome = kernel.run([](WarpContext* context) {
    if (context->ctaid[0] != 2) return;
    const auto text = reinterpret_cast<std::uint64_t>(kTexts);
    context->address[3] = text;
    put(*context, 0, 3, text + 6);
    put(*context, 1, 3, std::uint32_t{12});
    put(*context, 2, 3, text + 16);
    emu_assert(context, 1U << 3, 99);
  });
  const std::string printed = testing::internal::GetCapturedStderr();

  EXPECT_EQ(outcome.fault, FaultKind::assertion);
  EXPECT_EQ(printed,
            "kernel.cu:12: void f(): block: [2,0,0], thread: [3,0,0] Assertion `x > 0` failed.\n");
}

}  // namespace
}  // namespace emulator::runtime
