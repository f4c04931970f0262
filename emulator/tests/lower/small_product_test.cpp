// mma of floats of 8, 6 and 4 bits, and with scales of blocks, which sm_120a has: dense and sparse,
// against the layouts as the PTX ISA writes them down and the numbers of CUDA's headers.
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "reference_floats.h"
#include "runtime/half.h"
#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

// A type of elements: where it lies in its place in a register, and what its codes mean.
struct Element {
  const char* type;
  unsigned width;  // of the place
  unsigned shift;  // of the code in it
  unsigned bits;
  double (*to_number)(std::uint32_t code);
};

double number_of(const __half_raw& half) { return f16(half.x); }
double of_e4m3(std::uint32_t code) {
  return number_of(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(code), __NV_E4M3));
}
double of_e5m2(std::uint32_t code) {
  return number_of(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(code), __NV_E5M2));
}
double of_e3m2(std::uint32_t code) {
  return number_of(__nv_cvt_fp6_to_halfraw(static_cast<__nv_fp6_storage_t>(code), __NV_E3M2));
}
double of_e2m3(std::uint32_t code) {
  return number_of(__nv_cvt_fp6_to_halfraw(static_cast<__nv_fp6_storage_t>(code), __NV_E2M3));
}
double of_e2m1(std::uint32_t code) {
  return number_of(__nv_cvt_fp4_to_halfraw(static_cast<__nv_fp4_storage_t>(code), __NV_E2M1));
}

constexpr Element kE4m3Bytes = {"e4m3", 8, 0, 8, of_e4m3};
constexpr Element kE5m2Bytes = {"e5m2", 8, 0, 8, of_e5m2};
constexpr Element kE3m2Bytes = {"e3m2", 8, 0, 6, of_e3m2};
constexpr Element kE2m3Bytes = {"e2m3", 8, 0, 6, of_e2m3};
constexpr Element kE2m1Bytes = {"e2m1", 8, 2, 4, of_e2m1};
constexpr Element kE2m1Packed = {"e2m1", 4, 0, 4, of_e2m1};
constexpr Element kInBytes[] = {kE4m3Bytes, kE5m2Bytes, kE3m2Bytes, kE2m3Bytes, kE2m1Bytes};

struct Case {
  std::string name;
  std::string words;  // before the shape
  Element a;
  Element b;
  unsigned depth;
  bool sparse = false;
  bool half = false;    // the sums
  unsigned scales = 0;  // of a row of A, and of a column of B
  bool powers = true;   // the scales are ue8m0, else ue4m3
  unsigned byte_a = 0, thread_a = 0, byte_b = 0, thread_b = 0;
};
void PrintTo(const Case& tested, std::ostream* out) { *out << tested.name; }

struct At {
  unsigned row;
  unsigned column;
};

// PTX ISA, "Matrix Fragments for mma.m16n8k32" and "..k64": a register holds neighbours of a row of
// A, the rows from 8 on come second, the second half of the columns third. A sparse A has half as
// many columns.
At place_in_a(const Element& of, unsigned lane, unsigned i) {
  const unsigned packed = 32 / of.width;
  const unsigned reg = i / packed;
  return {lane / 4 + 8 * (reg % 2), lane % 4 * packed + i % packed + 4 * packed * (reg / 2)};
}
At place_in_b(const Element& of, unsigned lane, unsigned i) {
  const unsigned packed = 32 / of.width;
  return {lane % 4 * packed + i % packed + 4 * packed * (i / packed), lane / 4};
}

// What the lanes bring: registers one after the other, of 32 lanes each.
struct Input {
  Words a, b, c, metadata, scales_of_a, scales_of_b;
};

std::uint32_t element_of(const Words& words, const Element& of, unsigned lane, unsigned i) {
  const unsigned at = i * of.width;
  return words.at(std::size_t{at / 32} * 32 + lane) >> (at % 32) >> of.shift &
         ((1U << of.bits) - 1);
}

// Infinity and NaN are to be few, or every sum is one.
void thin_out(Words& words, const Element& of, std::mt19937& random) {
  if (of.bits != 8) return;
  for (std::uint32_t& word : words) {
    for (unsigned at = 0; at < 32; at += 8) {
      const bool stays = random() % 64 == 0 || std::isfinite(of.to_number(word >> at & 0xFFU));
      if (!stays) word ^= 0x40U << at;  // of the exponent
    }
  }
}

// Random bits wherever a number lies; of the places of a sparse row's groups those that PTX allows.
Input random_input(const Case& tested, unsigned seed) {
  static constexpr std::array<std::uint32_t, 6> kPairs = {0x4, 0x8, 0x9, 0xC, 0xD, 0xE};
  std::mt19937 random(seed);
  const auto words = [&](std::size_t count) {
    Words all(count);
    for (std::uint32_t& word : all) word = static_cast<std::uint32_t>(random());
    return all;
  };
  const std::size_t kept = tested.sparse ? tested.depth / 2 : tested.depth;
  Input input{words(16 * kept * tested.a.width / 32),
              words(8 * tested.depth * tested.b.width / 32),
              words(tested.half ? 64 : 128),
              words(32),
              words(32),
              words(32)};
  thin_out(input.a, tested.a, random);
  thin_out(input.b, tested.b, random);
  for (std::uint32_t& word : input.c) {
    const auto whole = static_cast<float>(static_cast<int>(random() % 2001) - 1000);
    word = tested.half ? 0x3c00c200 + (word & 0x00ff00ff) : std::bit_cast<std::uint32_t>(whole / 8);
  }
  for (std::uint32_t& word : input.metadata) {
    word = 0;
    for (unsigned bit = 0; bit < 32; bit += 4) word |= kPairs.at(random() % 6) << bit;
  }
  // Powers from 2^-7 to 2^8, so that the sums differ in every digit, and no NaN.
  for (Words* scales : {&input.scales_of_a, &input.scales_of_b}) {
    for (std::uint32_t& word : *scales)
      word = tested.powers ? 0x78787878 + (word & 0x0f0f0f0f) : (word & 0xb7b7b7b7);
  }
  return input;
}

// PTX ISA, "Sparse matrix storage": four bits of metadata say which two of four elements, or pairs
// of elements, a row keeps; a word is eight groups of a row.
unsigned place_along_depth(const Case& tested, const Words& metadata, unsigned row, unsigned k) {
  if (!tested.sparse) return k;
  const unsigned pair = tested.a.width == 4 ? 2 : 1;
  const unsigned group = k / (2 * pair);
  const unsigned word = metadata.at(row % 8 * 4 + group / 8 * 2 + row / 8);
  const unsigned place = word >> (4 * (group % 8) + 2 * (k / pair % 2)) & 3U;
  return group * 4 * pair + place * pair + k % pair;
}

// PTX ISA, "Block Scaling for mma.sync", the figures of the selectors.
double scale(const Case& tested, std::uint32_t word, unsigned byte, unsigned place) {
  if (tested.scales == 0) return 1;
  const unsigned block = place * tested.scales / tested.depth;
  const std::uint32_t code = word >> (8 * (byte + block)) & 0xFFU;
  if (!tested.powers) return of_e4m3(code & 0x7FU);
  return code == 0xFF ? std::nan("") : std::exp2(static_cast<int>(code) - 127);
}

// D, in the order of the input's C.
Words expected(const Case& tested, const Input& input) {
  const unsigned kept = tested.sparse ? tested.depth / 2 : tested.depth;
  std::vector<std::vector<double>> a(16, std::vector<double>(tested.depth));
  std::vector<std::vector<bool>> is_kept(16, std::vector<bool>(tested.depth));
  std::vector<std::vector<double>> b(tested.depth, std::vector<double>(8));
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < kept / 2; ++i) {
      const At at = place_in_a(tested.a, lane, i);
      const unsigned k = place_along_depth(tested, input.metadata, at.row, at.column);
      const unsigned scaling = 4 * (at.row % 8) + 2 * tested.thread_a + at.row / 8;
      a[at.row][k] = tested.a.to_number(element_of(input.a, tested.a, lane, i)) *
                     scale(tested, input.scales_of_a[scaling], tested.byte_a, k);
      is_kept[at.row][k] = true;
    }
    for (unsigned i = 0; i < tested.depth / 4; ++i) {
      const At at = place_in_b(tested.b, lane, i);
      const unsigned scaling = 4 * at.column + tested.thread_b;
      b[at.row][at.column] = tested.b.to_number(element_of(input.b, tested.b, lane, i)) *
                             scale(tested, input.scales_of_b[scaling], tested.byte_b, at.row);
    }
  }
  Words d(input.c.size());
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < 4; ++i) {
      const At at{lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2};
      const std::size_t reg = std::size_t{tested.half ? i / 2 : i} * 32 + lane;
      const unsigned shift = tested.half ? i % 2 * 16 : 0;
      auto sum = static_cast<float>(tested.half ? f16(input.c[reg] >> shift & 0xFFFFU)
                                                : f32(input.c[reg]));
      for (unsigned k = 0; k < tested.depth; ++k) {
        if (!is_kept[at.row][k] && tested.sparse) continue;
        // Exact: a factor has eight digits at most.
        const long double term = static_cast<long double>(a[at.row][k]) * b[k][at.column];
        sum = static_cast<float>(static_cast<long double>(sum) + term);
      }
      const bool nan = std::isnan(sum);
      if (tested.half) {
        const auto code = nan ? 0x7FFFU : std::uint32_t{runtime::float_to_half(sum)};
        d[reg] |= code << shift;
      } else {
        d[reg] = nan ? 0x7FFFFFFF : std::bit_cast<std::uint32_t>(sum);
      }
    }
  }
  return d;
}

// Any NaN for one.
Words with_one_nan(const Case& tested, Words words) {
  for (std::uint32_t& word : words) {
    if (!tested.half && std::isnan(std::bit_cast<float>(word))) word = 0x7FFFFFFF;
    for (const unsigned shift : {0U, 16U}) {
      if (tested.half && (word >> shift & 0x7FFFU) > 0x7C00U) word |= 0x7FFFU << shift;
    }
  }
  return words;
}

std::string list(unsigned first, std::size_t count) {
  std::string text = "{";
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("{}%r{}", i == 0 ? "" : ", ", first + i);
  return text + "}";
}

Outcome run(const Case& tested, const Input& input, const std::string& selectors_a,
            const std::string& selectors_b, const std::string& before = "") {
  Words all;
  std::string body = before;
  const auto load = [&](unsigned first, const Words& words) {
    for (std::size_t i = 0; i < words.size() / 32; ++i)
      body += fmt::format("ld.global.u32 %r{}, [%rd0+{}];\n", first + i, (all.size() + i * 32) * 4);
    all.insert(all.end(), words.begin(), words.end());
  };
  load(10, input.a);
  load(20, input.b);
  load(30, input.c);
  load(40, input.metadata);
  load(41, input.scales_of_a);
  load(42, input.scales_of_b);
  const std::size_t sums = input.c.size() / 32;
  const char* type = tested.half ? "f16" : "f32";
  body += fmt::format("mma.sync.aligned.{}.m16n8k{}.row.col.{}.{}.{}.{}{} {}, {}, {}, {}",
                      tested.words, tested.depth, type, tested.a.type, tested.b.type, type,
                      tested.scales == 0 ? ""
                      : tested.powers    ? ".ue8m0"
                                         : ".ue4m3",
                      list(50, sums), list(10, input.a.size() / 32), list(20, input.b.size() / 32),
                      list(30, sums));
  if (tested.sparse) body += ", %r40, 0";
  if (tested.scales != 0) body += fmt::format(", %r41, {}, {{%r42}}, {}", selectors_a, selectors_b);
  body += ";\n";
  for (std::size_t i = 0; i < sums; ++i)
    body += fmt::format("st.global.u32 [%rd1+{}], %r{};\n", i * 128, 50 + i);
  return run_kernel(kernel_of(body), all, input.c.size());
}

Outcome run(const Case& tested, const Input& input) {
  return run(tested, input, fmt::format("{{{}, {}}}", tested.byte_a, tested.thread_a),
             fmt::format("{{{}, {}}}", tested.byte_b, tested.thread_b));
}

class SmallMatrixProduct : public ::testing::TestWithParam<Case> {};

TEST_P(SmallMatrixProduct, HasTheBitsOfOneRoundingEachTerm) {
  const Case& tested = GetParam();
  const Input input = random_input(tested, tested.depth + tested.scales);
  const Outcome outcome = run(tested, input);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(with_one_nan(tested, outcome.words), expected(tested, input));
}

std::vector<Case> cases_without_scales() {
  std::vector<Case> all;
  for (const Element& a : kInBytes) {
    for (const Element& b : kInBytes) {
      const auto name = [&](const char* form) {
        return fmt::format("{}_{}_{}", a.type, b.type, form);
      };
      all.push_back({name("dense"), "kind::f8f6f4", a, b, 32});
      all.push_back({name("sparse"), "kind::f8f6f4.sp::ordered_metadata", a, b, 64, true});
    }
  }
  all.push_back({"halves", "kind::f8f6f4", kE2m3Bytes, kE3m2Bytes, 32, false, true});
  all.push_back({"sparse_halves", "kind::f8f6f4.sp::ordered_metadata", kE2m1Bytes, kE4m3Bytes, 64,
                 true, true});
  all.push_back({"bytes_of_half_the_depth", "kind::f8f6f4", kE4m3Bytes, kE5m2Bytes, 16});
  return all;
}

std::vector<Case> cases_with_scales() {
  std::vector<Case> all;
  const std::string sparse = ".sp::ordered_metadata";
  for (const bool is_sparse : {false, true}) {
    const std::string metadata = is_sparse ? sparse : "";
    const char* suffix = is_sparse ? "_sparse" : "";
    const auto add = [&](const std::string& name, const std::string& words, const Element& a,
                         const Element& b, unsigned scales, bool powers,
                         std::array<unsigned, 4> ids) {
      const unsigned depth = a.width == 8 ? 32 : 64;
      all.push_back({name + suffix, words, a, b, is_sparse ? 2 * depth : depth, is_sparse, false,
                     scales, powers, ids[0], ids[1], ids[2], ids[3]});
    };
    const std::string mx8 = "kind::mxf8f6f4" + metadata + ".block_scale";
    for (const Element& a : kInBytes) {
      for (const Element& b : kInBytes)
        add(fmt::format("{}_{}", a.type, b.type), mx8 + ".scale_vec::1X", a, b, 1, true,
            {0, 0, 0, 0});
    }
    for (unsigned i = 0; i < 8; ++i) {
      add(fmt::format("selectors_{}", i), mx8, kE5m2Bytes, kE4m3Bytes, 1, true,
          {i % 4, i / 4, 3 - i % 4, (i + 1) % 4});
    }
    const std::string mx4 = "kind::mxf4" + metadata + ".block_scale";
    add("mxf4", mx4 + ".scale_vec::2X", kE2m1Packed, kE2m1Packed, 2, true, {0, 0, 0, 0});
    add("mxf4_of_no_named_size", mx4, kE2m1Packed, kE2m1Packed, 2, true, {2, 1, 0, 3});
    const std::string nv4 = "kind::mxf4nvf4" + metadata + ".block_scale";
    add("nvf4_in_two", nv4 + ".scale_vec::2X", kE2m1Packed, kE2m1Packed, 2, true, {0, 1, 2, 2});
    add("nvf4", nv4 + ".scale_vec::4X", kE2m1Packed, kE2m1Packed, 4, false, {0, 0, 0, 0});
    add("nvf4_of_other_lanes", nv4 + ".scale_vec::4X", kE2m1Packed, kE2m1Packed, 4, false,
        {0, 1, 0, 3});
    add("powers_in_four_of_ptx_9_1", nv4 + ".scale_vec::4X", kE2m1Packed, kE2m1Packed, 4, true,
        {0, 0, 0, 1});
  }
  return all;
}

const auto kName = [](const auto& test) { return test.param.name; };
INSTANTIATE_TEST_SUITE_P(Each, SmallMatrixProduct, ::testing::ValuesIn(cases_without_scales()),
                         kName);
INSTANTIATE_TEST_SUITE_P(Scaled, SmallMatrixProduct, ::testing::ValuesIn(cases_with_scales()),
                         kName);

const Case kMx = {
    "mx", "kind::mxf8f6f4.block_scale.scale_vec::1X", kE4m3Bytes, kE4m3Bytes, 32, false, false, 1};
const Case kNv = {
    "nv", "kind::mxf4nvf4.block_scale.scale_vec::4X", kE2m1Packed, kE2m1Packed, 64, false, false, 4,
    false};

// Ones everywhere, with scales of one, and sums from nothing.
Input ones(const Case& tested) {
  const bool packed = tested.a.width == 4;
  const std::uint32_t one = packed ? 0x22222222 : 0x38383838;
  const std::uint32_t scale = tested.powers ? 0x7f7f7f7f : 0x38383838;
  return {Words(128, one), Words(64, one),   Words(128),
          Words(32),       Words(32, scale), Words(32, scale)};
}
float sum_at(const Outcome& outcome, unsigned row, unsigned column) {
  const unsigned i = row / 8 * 2 + column % 2;
  const unsigned lane = row % 8 * 4 + column / 2;
  return std::bit_cast<float>(outcome.words.at(std::size_t{i} * 32 + lane));
}

TEST(ScaledMatrixProduct, IsNoNumberInTheRowWhoseScaleIsNone) {
  Input input = ones(kMx);
  input.scales_of_a.at(13) = 0x7f7f7fff;  // of row 11
  const Outcome outcome = run(kMx, input);
  ASSERT_EQ(outcome.fault, "");
  for (unsigned column = 0; column < 8; ++column) {
    EXPECT_TRUE(std::isnan(sum_at(outcome, 11, column)));
    EXPECT_EQ(sum_at(outcome, 3, column), 32.0F);
  }
}

TEST(ScaledMatrixProduct, IsNoNumberInTheColumnOneOfWhoseScalesIsNone) {
  Input input = ones(kNv);
  input.scales_of_b.at(20) = 0x38ff3838;  // of column 5: e4m3's NaN, its sign set
  const Outcome outcome = run(kNv, input);
  ASSERT_EQ(outcome.fault, "");
  for (unsigned row = 0; row < 16; ++row) {
    EXPECT_TRUE(std::isnan(sum_at(outcome, row, 5)));
    EXPECT_EQ(sum_at(outcome, row, 4), 64.0F);
  }
}

TEST(ScaledMatrixProduct, TakesNoSignFromAScale) {
  Input input = ones(kNv);
  input.scales_of_a.at(0) = 0xb8b8b8b8;
  const Outcome outcome = run(kNv, input);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(sum_at(outcome, 0, 0), 64.0F);
}

// The scaled factors are no floats, their product is.
TEST(ScaledMatrixProduct, HasRoomForTheLargestAndSmallestScalesTogether) {
  Input input = ones(kMx);
  input.scales_of_a.assign(32, 0xfe);  // 2^127
  input.scales_of_b.assign(32, 0x00);  // 2^-127
  input.a.assign(128, 0x7e7e7e7e);     // 448
  const Outcome outcome = run(kMx, input);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(sum_at(outcome, 15, 7), 448.0F * 32);
}

TEST(ScaledMatrixProduct, TakesItsSelectorsFromRegisters) {
  Case tested = kMx;
  tested.byte_a = 2;
  tested.thread_a = 1;
  tested.byte_b = 1;
  tested.thread_b = 3;
  const Input input = random_input(tested, 5);
  const Outcome outcome = run(tested, input, "{%h1, %h2}", "{%h2, %h3}",
                              "mov.u16 %h1, 2; mov.u16 %h2, 1; mov.u16 %h3, 3;");
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(with_one_nan(tested, outcome.words), expected(tested, input));
}

TEST(ScaledMatrixProduct, OfSelectorsThatNameNoScalesIsAFault) {
  const Outcome outcome = run(kNv, ones(kNv), "{%h1, 0}", "{0, 0}", "mov.u16 %h1, 2;");
  EXPECT_EQ(outcome.kind, runtime::FaultKind::bad_instruction);
  EXPECT_THAT(outcome.fault, HasSubstr("mma whose selectors name no scales"));
}

}  // namespace
}  // namespace emulator::testing
