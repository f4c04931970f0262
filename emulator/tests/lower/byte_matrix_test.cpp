// ldmatrix and stmatrix of 8 bits, and of 6 and 4 that become 8, which sm_100a and sm_120a have,
// against the layouts as the PTX ISA draws them: of a matrix a group of four lanes has a row, each
// of them neighbours of it. In memory the matrix lies transposed, but for m8n16.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

using ::testing::HasSubstr;

constexpr unsigned kRowBytes = 16;

// Where lane l's row lies: not behind that of the lane before it.
unsigned place_of_row(unsigned lane) { return (lane * 5 + 3) % 32; }

std::vector<std::uint32_t> random_words(std::size_t count) {
  std::mt19937 random(11);
  std::vector<std::uint32_t> words(count);
  std::ranges::generate(words, random);
  return words;
}

std::uint8_t byte_of(const std::vector<std::uint32_t>& words, std::size_t byte) {
  return static_cast<std::uint8_t>(words.at(byte / 4) >> (byte % 4 * 8));
}

// Element `column` of the row that lane `lane` names, bit by bit.
std::uint32_t element(const std::vector<std::uint32_t>& tile, unsigned lane, unsigned column,
                      unsigned bits) {
  std::uint32_t value = 0;
  for (unsigned bit = 0; bit < bits; ++bit) {
    const unsigned at = column * bits + bit;
    const std::uint8_t byte = byte_of(tile, place_of_row(lane) * kRowBytes + at / 8);
    value |= (byte >> (at % 8) & 1U) << bit;
  }
  return value;
}

// The input in shared memory, 16 bytes a lane; %r12 is the lane's row.
std::string with_tile(const std::string& body) {
  return kernel_of(
      ".shared .align 128 .b8 tile[512];\nmov.u32 %r10, tile; shl.b32 %r11, %r0, 4;"
      "add.u32 %r11, %r10, %r11; mul.wide.u32 %rd5, %r0, 16; add.s64 %rd5, %rd2, %rd5;"
      "ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd5];"
      "st.shared.v4.u32 [%r11], {%r20, %r21, %r22, %r23}; bar.sync 0;"
      "mad.lo.u32 %r12, %r0, 5, 3; and.b32 %r12, %r12, 31; shl.b32 %r12, %r12, 4;"
      "add.u32 %r12, %r10, %r12;\n" +
      body);
}

std::string list(unsigned count) {
  std::string text = "{%r30";
  for (unsigned i = 1; i < count; ++i) text += ", %r" + std::to_string(30 + i);
  return text + "}";
}

struct Load {
  const char* name;
  const char* words;
  bool transposed;
  unsigned bits;
  unsigned registers;
};
void PrintTo(const Load& load, std::ostream* out) { *out << load.name; }

class ByteMatrixLoad : public ::testing::TestWithParam<Load> {};

TEST_P(ByteMatrixLoad, GivesEachLaneFourNeighboursOfARow) {
  const Load& load = GetParam();
  const std::vector<std::uint32_t> tile = random_words(128);
  std::string body =
      std::string("ldmatrix.sync.aligned.") + load.words + " " + list(load.registers) + ", [%r12];";
  for (unsigned i = 0; i < load.registers; ++i) {
    body +=
        "st.global.u32 [%rd1+" + std::to_string(i * 128) + "], %r" + std::to_string(30 + i) + ";";
  }
  const Outcome outcome = run_kernel(with_tile(body), tile, std::size_t{load.registers} * 32);
  ASSERT_EQ(outcome.fault, "");
  for (unsigned reg = 0; reg < load.registers; ++reg) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      std::uint32_t expected = 0;
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned column = lane % 4 * 4 + i;
        // Two registers, each of eight rows, are a matrix of 16 x 16.
        const unsigned row = load.transposed ? lane / 4 + reg % 2 * 8 : lane / 4;
        const std::uint32_t value = load.transposed
                                        ? element(tile, reg / 2 * 16 + column, row, load.bits)
                                        : element(tile, reg * 8 + row, column, load.bits);
        expected |= value << (8 * i);
      }
      EXPECT_EQ(outcome.words[reg * 32 + lane], expected) << "register " << reg << " lane " << lane;
    }
  }
}

constexpr Load kLoads[] = {
    {"m16n16_x1", "m16n16.x1.trans.shared.b8", true, 8, 2},
    {"m16n16_x2", "m16n16.x2.trans.shared.b8", true, 8, 4},
    {"sixes_m16n16_x1", "m16n16.x1.trans.shared.b8x16.b6x16_p32", true, 6, 2},
    {"sixes_m16n16_x2", "m16n16.x2.trans.shared::cta.b8x16.b6x16_p32", true, 6, 4},
    {"fours_m16n16_x1", "m16n16.x1.trans.shared.b8x16.b4x16_p64", true, 4, 2},
    {"fours_m16n16_x2", "m16n16.x2.trans.shared.b8x16.b4x16_p64", true, 4, 4},
    {"sixes_m8n16_x1", "m8n16.x1.shared.b8x16.b6x16_p32", false, 6, 1},
    {"sixes_m8n16_x2", "m8n16.x2.shared.b8x16.b6x16_p32", false, 6, 2},
    {"sixes_m8n16_x4", "m8n16.x4.shared.b8x16.b6x16_p32", false, 6, 4},
    {"fours_m8n16_x1", "m8n16.x1.shared.b8x16.b4x16_p64", false, 4, 1},
    {"fours_m8n16_x2", "m8n16.x2.shared.b8x16.b4x16_p64", false, 4, 2},
    {"fours_m8n16_x4", "m8n16.x4.shared::cta.b8x16.b4x16_p64", false, 4, 4},
};
INSTANTIATE_TEST_SUITE_P(Each, ByteMatrixLoad, ::testing::ValuesIn(kLoads),
                         [](const auto& test) { return std::string(test.param.name); });

class ByteMatrixStore : public ::testing::TestWithParam<unsigned> {};

TEST_P(ByteMatrixStore, PutsEachColumnIntoARow) {
  const unsigned matrices = GetParam();
  const std::vector<std::uint32_t> input = random_words(128);
  // The registers are the tile's words; the tile is then stored over and read back.
  const Outcome outcome = run_kernel(
      with_tile("mov.b32 %r30, %r20; mov.b32 %r31, %r21; mov.b32 %r32, %r22; mov.b32 %r33, %r23;"
                "stmatrix.sync.aligned.m16n8.x" +
                std::to_string(matrices) + ".trans.shared.b8 [%r12], " + list(matrices) +
                "; bar.sync 0; ld.shared.v4.u32 {%r40, %r41, %r42, %r43}, [%r11];"
                "mul.wide.u32 %rd6, %r0, 16; add.s64 %rd6, %rd3, %rd6;"
                "st.global.v4.u32 [%rd6], {%r40, %r41, %r42, %r43};"),
      input, 128);
  ASSERT_EQ(outcome.fault, "");
  std::vector<std::uint8_t> expected(512);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = byte_of(input, i);
  for (unsigned matrix = 0; matrix < matrices; ++matrix) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned i = 0; i < 4; ++i) {  // as of an accumulator of m16n8
        const unsigned row = lane / 4 + i / 2 * 8;
        const unsigned column = lane % 4 * 2 + i % 2;
        expected.at(place_of_row(matrix * 8 + column) * kRowBytes + row) =
            byte_of(input, lane * kRowBytes + matrix * 4 + i);
      }
    }
  }
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(byte_of(outcome.words, i), expected[i]) << "byte " << i;
}
INSTANTIATE_TEST_SUITE_P(Each, ByteMatrixStore, ::testing::Values(1U, 2U, 4U));

TEST(ByteMatrix, BeyondSharedMemoryIsAFaultThatNamesTheLane) {
  const Outcome outcome =
      run_kernel(with_tile("setp.eq.u32 %p1, %r0, 14; @%p1 add.u32 %r12, %r10, 512;"
                           "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r30, %r31}, [%r12];"
                           "st.global.u32 [%rd1], %r30;"),
                 random_words(128), 32);
  EXPECT_EQ(outcome.kind, runtime::FaultKind::out_of_bounds);
  EXPECT_THAT(outcome.fault, HasSubstr("(14,0,0)"));
}

TEST(ByteMatrix, AtAnAddressThatIsNoMultipleOfSixteenIsAFault) {
  const Outcome outcome =
      run_kernel(with_tile("add.u32 %r12, %r12, 8;"
                           "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r12], {%r20};"),
                 random_words(128), 32);
  EXPECT_EQ(outcome.kind, runtime::FaultKind::misaligned);
}

}  // namespace
}  // namespace emulator::testing
