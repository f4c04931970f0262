#include "runtime/atomics.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "runtime/half.h"
#include "runtime/kernel_launch.h"

namespace emulator::runtime {
namespace {

// Applies the operation and gives what is in memory afterwards.
template <typename T>
T after(AtomicOp op, AtomicType type, T memory, T operand, T swap = T{}) {
  alignas(16) T place = memory;
  T old{};
  EXPECT_TRUE(apply_atomic(op, type, &place, &operand, &swap, &old));
  EXPECT_EQ(old, memory);
  return place;
}

TEST(Atomics, CompareSignedAndUnsignedValuesAsSuch) {
  EXPECT_EQ(after<std::int32_t>(AtomicOp::min, AtomicType::s32, 5, -1), -1);
  EXPECT_EQ(after<std::uint32_t>(AtomicOp::min, AtomicType::u32, 5, 0xffffffffU), 5);
  EXPECT_EQ(after<std::int64_t>(AtomicOp::max, AtomicType::s64, -5, 3), 3);
  EXPECT_EQ(after<std::uint64_t>(AtomicOp::max, AtomicType::u64, ~0ULL, 3), ~0ULL);
}

TEST(Atomics, IncrementWrapsAtTheOperand) {
  EXPECT_EQ(after<std::uint32_t>(AtomicOp::inc, AtomicType::u32, 6, 7), 7);
  EXPECT_EQ(after<std::uint32_t>(AtomicOp::inc, AtomicType::u32, 7, 7), 0);
}

TEST(Atomics, DecrementWrapsAtZeroAndAboveTheOperand) {
  EXPECT_EQ(after<std::uint32_t>(AtomicOp::dec, AtomicType::u32, 3, 7), 2);
  EXPECT_EQ(after<std::uint32_t>(AtomicOp::dec, AtomicType::u32, 0, 7), 7);
  EXPECT_EQ(after<std::uint32_t>(AtomicOp::dec, AtomicType::u32, 9, 7), 7);
}

TEST(Atomics, CombineBits) {
  EXPECT_EQ(after<std::uint32_t>(AtomicOp::and_, AtomicType::u32, 0b1100, 0b1010), 0b1000);
  EXPECT_EQ(after<std::uint32_t>(AtomicOp::or_, AtomicType::u32, 0b1100, 0b1010), 0b1110);
  EXPECT_EQ(after<std::uint64_t>(AtomicOp::xor_, AtomicType::u64, 0b1100, 0b1010), 0b0110);
  EXPECT_EQ(after<std::uint32_t>(AtomicOp::exch, AtomicType::u32, 1, 2), 2);
}

TEST(Atomics, SwapOnlyWhatWasExpected) {
  EXPECT_EQ(after<std::uint32_t>(AtomicOp::cas, AtomicType::u32, 1, 1, 9), 9);
  EXPECT_EQ(after<std::uint32_t>(AtomicOp::cas, AtomicType::u32, 1, 2, 9), 1);
  EXPECT_EQ(after<std::uint16_t>(AtomicOp::cas, AtomicType::b16, 1, 1, 9), 9);
}

TEST(Atomics, AddFloatsOfEveryWidth) {
  EXPECT_EQ(after<float>(AtomicOp::add, AtomicType::f32, 1.5F, 2.0F), 3.5F);
  EXPECT_EQ(after<double>(AtomicOp::add, AtomicType::f64, 1.5, 2.0), 3.5);
  EXPECT_EQ(after<std::uint16_t>(AtomicOp::add, AtomicType::f16, float_to_half(1.5F),
                                 float_to_half(2.0F)),
            float_to_half(3.5F));
  EXPECT_EQ(after<std::uint16_t>(AtomicOp::add, AtomicType::bf16, float_to_bfloat(1.5F),
                                 float_to_bfloat(2.0F)),
            float_to_bfloat(3.5F));
}

TEST(Atomics, AddBothHalvesOfAPair) {
  const std::uint32_t memory = float_to_half(1.0F) | std::uint32_t{float_to_half(2.0F)} << 16;
  const std::uint32_t operand = float_to_half(10.0F) | std::uint32_t{float_to_half(20.0F)} << 16;
  const std::uint32_t sum = float_to_half(11.0F) | std::uint32_t{float_to_half(22.0F)} << 16;

  EXPECT_EQ(after<std::uint32_t>(AtomicOp::add, AtomicType::f16x2, memory, operand), sum);
}

TEST(Atomics, SwapSixteenBytes) {
  using Pair = std::array<std::uint64_t, 2>;

  EXPECT_EQ((after<Pair>(AtomicOp::cas, AtomicType::b128, {1, 2}, {1, 2}, {3, 4})), (Pair{3, 4}));
  EXPECT_EQ((after<Pair>(AtomicOp::cas, AtomicType::b128, {1, 2}, {1, 3}, {3, 4})), (Pair{1, 2}));
  EXPECT_EQ((after<Pair>(AtomicOp::exch, AtomicType::b128, {1, 2}, {5, 6})), (Pair{5, 6}));
}

TEST(Atomics, RefuseWhatTheTypeDoesNotHave) {
  float place = 0;
  float operand = 0;
  float old = 0;

  EXPECT_FALSE(apply_atomic(AtomicOp::xor_, AtomicType::f32, &place, &operand, &operand, &old));
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(float_to_half(1.0F), 0x3c00);
  EXPECT_EQ(float_to_half(65504.0F), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0F), 0x7c00);
  EXPECT_EQ(float_to_half(1.0F + 0x1p-11F), 0x3c00);
  EXPECT_EQ(float_to_half(1.0F + 3 * 0x1p-11F), 0x3c02);
  EXPECT_EQ(float_to_half(0x1p-24F), 0x0001);
  EXPECT_EQ(float_to_half(0x1p-25F), 0x0000);
  EXPECT_EQ(float_to_bfloat(1.0F + 0x1p-8F), 0x3f80);
  EXPECT_EQ(float_to_bfloat(1.0F + 3 * 0x1p-8F), 0x3f82);
}

TEST(Half, EveryValueSurvivesTheWayToFloatAndBack) {
  unsigned changed = 0;
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    changed += float_to_half(half_to_float(static_cast<std::uint16_t>(bits))) != bits ? 1 : 0;
  }
  EXPECT_EQ(changed, 0);
}

TEST(AtomicEntryPoint, LosesNoAdditionOfConcurrentBlocks) {
  KernelLaunch kernel(4);
  const std::uint64_t address = kernel.memory.allocate(4, AllocationKind::device);
  std::memset(host_pointer<void>(address), 0, 4);
  kernel.pass(address);
  kernel.sites = {
      {AccessKind::atomic, AccessSpace::global, 4, 1, 5, "red.global.add.u32 [%rd1], 1"}};
  kernel.launch.grid = {1000, 1, 1};
  kernel.launch.block = {64, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    for (unsigned l = 0; l < 32; ++l) {
      context->address[l] = parameter(*context, 0);
      put(*context, 0, l, std::uint32_t{1});
    }
    emu_atomic(context, 0, ~0U, static_cast<std::uint32_t>(AtomicOp::add),
               static_cast<std::uint32_t>(AtomicType::u32));
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(*host_pointer<std::uint32_t>(address), 64000);
}

TEST(AtomicEntryPoint, OutOfBoundsIsAFault) {
  KernelLaunch kernel;
  kernel.sites = {
      {AccessKind::atomic, AccessSpace::global, 4, 1, 5, "red.global.add.u32 [%rd1], 1"}};

  const auto outcome = kernel.run([](WarpContext* context) {
    context->address[0] = 0;
    emu_atomic(context, 0, 1, static_cast<std::uint32_t>(AtomicOp::add),
               static_cast<std::uint32_t>(AtomicType::u32));
  });

  EXPECT_NE(outcome.text.find("atomic operation of 4 bytes at 0x0, a null pointer"),
            std::string::npos)
      << outcome.text;
}

}  // namespace
}  // namespace emulator::runtime
