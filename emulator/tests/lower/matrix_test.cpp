// Tensor cores and asynchronous copies, against the layouts as the PTX ISA writes them down: by the
// number i of an element in its fragment, groupID = lane / 4 and threadID_in_group = lane % 4.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "runtime/half.h"
#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

using ::testing::HasSubstr;

struct At {
  unsigned row;
  unsigned column;
};
using Layout = std::function<At(unsigned lane, unsigned i)>;

// PTX ISA, "Matrix Fragments for mma.m16n8k8", "..k16", "..k32", "..k4".
const Layout kA16k16 = [](unsigned lane, unsigned i) {
  const bool upper = i < 2 || (i >= 4 && i < 6);
  return At{lane / 4 + (upper ? 0U : 8U), lane % 4 * 2 + (i & 1U) + (i >= 4 ? 8U : 0U)};
};
const Layout kB16k16 = [](unsigned lane, unsigned i) {
  return At{lane % 4 * 2 + (i & 1U) + (i >= 2 ? 8U : 0U), lane / 4};
};
const Layout kA16k8 = [](unsigned lane, unsigned i) {
  return At{lane / 4 + (i < 2 ? 0U : 8U), lane % 4 * 2 + (i & 1U)};
};
const Layout kB16k8 = [](unsigned lane, unsigned i) { return At{lane % 4 * 2 + i, lane / 4}; };
const Layout kA32k8 = [](unsigned lane, unsigned i) {
  return At{lane / 4 + (i == 0 || i == 2 ? 0U : 8U), lane % 4 + (i < 2 ? 0U : 4U)};
};
const Layout kB32k8 = [](unsigned lane, unsigned i) { return At{lane % 4 + 4 * i, lane / 4}; };
const Layout kA32k4 = [](unsigned lane, unsigned i) { return At{lane / 4 + 8 * i, lane % 4}; };
const Layout kB32k4 = [](unsigned lane, unsigned) { return At{lane % 4, lane / 4}; };
const Layout kA8k16 = [](unsigned lane, unsigned i) {
  return At{lane / 4 + (i < 4 ? 0U : 8U), lane % 4 * 4 + (i & 3U)};
};
const Layout kB8k16 = [](unsigned lane, unsigned i) { return At{lane % 4 * 4 + i, lane / 4}; };
const Layout kA8k32 = [](unsigned lane, unsigned i) {
  const bool upper = i < 4 || (i >= 8 && i < 12);
  return At{lane / 4 + (upper ? 0U : 8U), lane % 4 * 4 + (i & 3U) + (i >= 8 ? 16U : 0U)};
};
const Layout kB8k32 = [](unsigned lane, unsigned i) {
  return At{lane % 4 * 4 + (i & 3U) + (i >= 4 ? 16U : 0U), lane / 4};
};
const Layout kC = [](unsigned lane, unsigned i) {
  return At{lane / 4 + (i < 2 ? 0U : 8U), lane % 4 * 2 + (i & 1U)};
};

std::uint32_t of_float(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint32_t of_e4m3(float value) {  // of whole numbers from -8 to 8
  if (value == 0) return 0;
  int exponent = 0;
  const float fraction = std::frexp(std::fabs(value), &exponent);  // 0.5 to 1
  const auto mantissa = static_cast<std::uint32_t>(fraction * 16) - 8;
  return (value < 0 ? 0x80U : 0U) | static_cast<std::uint32_t>(exponent - 1 + 7) << 3U | mantissa;
}
std::uint32_t of_e5m2(float value) { return runtime::float_to_half(value) >> 8U; }
std::uint32_t of_integer(float value) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(value)) & 0xFFU;
}

struct Shape {
  const char* name;
  const char* instruction;
  unsigned depth;
  unsigned bits;  // of an element of A and B
  std::uint32_t (*encode)(float value);
  const Layout* a;
  const Layout* b;
  bool half_sum = false;
  bool integer_sum = false;
};

// A fragment as registers: register r of lane l at r * 32 + l.
std::vector<std::uint32_t> fragment(const Shape& shape, const Layout& layout, unsigned elements,
                                    const std::function<float(At)>& value) {
  const unsigned packed = 32 / shape.bits;
  std::vector<std::uint32_t> words(std::size_t{elements} / packed * 32);
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < elements; ++i)
      words[i / packed * 32 + lane] |= shape.encode(value(layout(lane, i)))
                                       << (i % packed * shape.bits);
  }
  return words;
}

// Loads `count` words per lane into registers from %r`first` on, from input register `from` on.
std::string load(unsigned first, unsigned count, unsigned from) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    text += "ld.global.u32 %r" + std::to_string(first + i) + ", [%rd0+" +
            std::to_string((from + i) * 128) + "];\n";
  }
  return text;
}
std::string list(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i) text += (i == 0 ? "%r" : ", %r") + std::to_string(first + i);
  return text + "}";
}

class MatrixProduct : public ::testing::TestWithParam<Shape> {};

TEST_P(MatrixProduct, OfWholeNumbersIsExactInEveryElement) {
  const Shape& shape = GetParam();
  std::mt19937 random(7);
  std::uniform_int_distribution<int> whole(-4, 4);
  std::vector<std::vector<float>> a(16, std::vector<float>(shape.depth));
  std::vector<std::vector<float>> b(shape.depth, std::vector<float>(8));
  std::vector<std::vector<float>> c(16, std::vector<float>(8));
  for (auto* matrix : {&a, &b, &c}) {
    for (auto& row : *matrix) {
      for (float& value : row) value = static_cast<float>(whole(random));
    }
  }
  const auto in = [](const auto& matrix) {
    return [&matrix](At at) { return matrix.at(at.row).at(at.column); };
  };
  const unsigned a_elements = 16 * shape.depth / 32;
  const unsigned b_elements = 8 * shape.depth / 32;
  std::vector<std::uint32_t> input = fragment(shape, *shape.a, a_elements, in(a));
  const auto a_registers = static_cast<unsigned>(input.size() / 32);
  const auto of_b = fragment(shape, *shape.b, b_elements, in(b));
  input.insert(input.end(), of_b.begin(), of_b.end());
  Shape sum = shape;
  sum.bits = shape.half_sum ? 16 : 32;
  sum.encode = shape.half_sum ? [](float v) -> std::uint32_t { return runtime::float_to_half(v); }
  : shape.integer_sum ? [](float v) { return static_cast<std::uint32_t>(static_cast<int>(v)); }
                      : &of_float;
  const auto of_c = fragment(sum, kC, 4, in(c));
  input.insert(input.end(), of_c.begin(), of_c.end());
  const auto b_registers = static_cast<unsigned>(of_b.size() / 32);
  const auto c_registers = static_cast<unsigned>(of_c.size() / 32);

  std::string body = load(10, a_registers, 0) + load(20, b_registers, a_registers) +
                     load(30, c_registers, a_registers + b_registers);
  body += std::string(shape.instruction) + " " + list(40, c_registers) + ", " +
          list(10, a_registers) + ", " + list(20, b_registers) + ", " + list(30, c_registers) +
          ";\n";
  for (unsigned i = 0; i < c_registers; ++i) {
    body +=
        "st.global.u32 [%rd1+" + std::to_string(i * 128) + "], %r" + std::to_string(40 + i) + ";\n";
  }
  const Outcome outcome = run_kernel(kernel_of(body), input, std::size_t{c_registers} * 32);
  ASSERT_EQ(outcome.fault, "");

  const auto expected = fragment(sum, kC, 4, [&](At at) {
    float value = c.at(at.row).at(at.column);
    for (unsigned k = 0; k < shape.depth; ++k) value += a.at(at.row).at(k) * b.at(k).at(at.column);
    return value;
  });
  EXPECT_EQ(outcome.words, expected);
}

INSTANTIATE_TEST_SUITE_P(
    Each, MatrixProduct,
    ::testing::Values(
        Shape{"f16k16", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16, 16,
              [](float v) -> std::uint32_t { return runtime::float_to_half(v); }, &kA16k16,
              &kB16k16},
        Shape{"f16k8", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 8, 16,
              [](float v) -> std::uint32_t { return runtime::float_to_half(v); }, &kA16k8, &kB16k8},
        Shape{"f16k16InHalf", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 16, 16,
              [](float v) -> std::uint32_t { return runtime::float_to_half(v); }, &kA16k16,
              &kB16k16, true},
        Shape{"bf16k16", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 16, 16,
              [](float v) -> std::uint32_t { return runtime::float_to_bfloat(v); }, &kA16k16,
              &kB16k16},
        Shape{"bf16k8", "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 8, 16,
              [](float v) -> std::uint32_t { return runtime::float_to_bfloat(v); }, &kA16k8,
              &kB16k8},
        Shape{"tf32k8", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 8, 32, &of_float,
              &kA32k8, &kB32k8},
        Shape{"tf32k4", "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 4, 32, &of_float,
              &kA32k4, &kB32k4},
        Shape{"s8k32", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 32, 8, &of_integer,
              &kA8k32, &kB8k32, false, true},
        Shape{"s8k16Clamped", "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32", 16, 8,
              &of_integer, &kA8k16, &kB8k16, false, true},
        Shape{"e4m3k32", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 32, 8, &of_e4m3,
              &kA8k32, &kB8k32},
        Shape{"e5m2k32", "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", 32, 8, &of_e5m2,
              &kA8k32, &kB8k32}),
    [](const auto& tested) { return tested.param.name; });

// One element alone: products far apart, so that another order or another rounding shows.
TEST(Mma, AddsInF32WithOneRoundingFromCOnByAscendingK) {
  std::vector<std::uint32_t> input(std::size_t{7} * 32);
  const auto set = [&](unsigned reg, unsigned lane, float low, float high) {
    input.at(reg * 32 + lane) =
        runtime::float_to_bfloat(low) | std::uint32_t{runtime::float_to_bfloat(high)} << 16U;
  };
  const std::vector<float> a = {4096, 1.0078125F, -4096, 0.0001F};
  const std::vector<float> b = {4096, 1.0078125F, 4096, 3};
  set(0, 0, a[0], a[1]);  // row 0, k 0 and 1
  set(0, 1, a[2], a[3]);  // k 2 and 3
  set(4, 0, b[0], b[1]);  // column 0
  set(4, 1, b[2], b[3]);
  const float c = 0.3F;
  const std::string body =
      load(10, 4, 0) + load(20, 2, 4) +
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3}, " + list(10, 4) +
      ", " + list(20, 2) + ", {0f3E99999A, 0f00000000, 0f00000000, 0f00000000};\n" +
      "st.global.f32 [%rd1], %f0;";
  const Outcome outcome = run_kernel(kernel_of(body), input, 32);
  ASSERT_EQ(outcome.fault, "");
  float sum = c;
  for (std::size_t k = 0; k < a.size(); ++k) {
    sum = std::fma(runtime::bfloat_to_float(runtime::float_to_bfloat(a[k])),
                   runtime::bfloat_to_float(runtime::float_to_bfloat(b[k])), sum);
  }
  EXPECT_EQ(outcome.words[0], of_float(sum));
}

TEST(Mma, OfDoublesHasEightRows) {
  std::vector<std::uint32_t> input(32);
  for (std::uint32_t i = 0; i < 32; ++i) input[i] = i;
  // A[g][t] = lane, B[t][g] = lane, C = 1.
  const std::string body =
      "cvt.rn.f64.u32 %d0, %r1;\n"
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d2, %d3}, {%d0}, {%d0}, "
      "{0d3FF0000000000000, 0d3FF0000000000000};\n"
      "cvt.rzi.u32.f64 %r3, %d2;\ncvt.rzi.u32.f64 %r4, %d3;\n"
      "st.global.u32 [%rd1], %r3;\nst.global.u32 [%rd1+128], %r4;";
  const Outcome outcome = run_kernel(kernel_of(body), input, 64);
  ASSERT_EQ(outcome.fault, "");
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned row = lane / 4;
      const unsigned column = lane % 4 * 2 + i;
      unsigned sum = 1;
      for (unsigned k = 0; k < 4; ++k) sum += (row * 4 + k) * (column * 4 + k);
      EXPECT_EQ(outcome.words[i * 32 + lane], sum) << row << "," << column;
    }
  }
}

TEST(Mma, IsAFaultWhereALaneIsElsewhere) {
  const std::string body =
      "setp.eq.u32 %p1, %r0, 5; @%p1 bra OUT;"
      "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3}, {%r1, %r1}, {%r1}, "
      "{%f4, %f5, %f6, %f7}; OUT: st.global.u32 [%rd1], 1;";
  const Outcome outcome = run_kernel(kernel_of(body), std::vector<std::uint32_t>(32), 32);
  EXPECT_EQ(outcome.kind, runtime::FaultKind::bad_instruction);
  EXPECT_THAT(outcome.fault, HasSubstr("not by lane 5"));
}

struct WarpProduct {
  const char* name;
  const char* shape;
  unsigned rows;
  unsigned columns;
  unsigned depth;
  const char* type;   // of A and B
  const char* types;  // as wmma.mma names them
  unsigned bits;
  unsigned a_registers;
  unsigned b_registers;
  std::uint32_t (*encode)(float value);
  bool integer_sum = false;
};

class WarpMatrixProduct : public ::testing::TestWithParam<WarpProduct> {};

// A by rows, B by columns and C by rows from memory, D by columns back to it.
TEST_P(WarpMatrixProduct, OfWholeNumbersIsExactInEveryElement) {
  const WarpProduct& w = GetParam();
  std::mt19937 random(11);
  std::uniform_int_distribution<int> whole(0, 6);
  const auto matrix = [&](unsigned rows, unsigned columns) {
    std::vector<std::vector<float>> all(rows, std::vector<float>(columns));
    for (auto& row : all) {
      for (float& value : row) value = static_cast<float>(whole(random) - (w.bits == 8 ? 0 : 3));
    }
    return all;
  };
  const auto a = matrix(w.rows, w.depth);
  const auto b = matrix(w.depth, w.columns);
  const auto c = matrix(w.rows, w.columns);
  std::vector<std::uint32_t> input(2048);
  const auto put = [&](std::size_t at, unsigned index, std::uint32_t bits, unsigned width) {
    input.at(at + index * width / 32) |= bits << (index * width % 32);
  };
  const auto sum_bits = [&](float v) {
    return w.integer_sum ? static_cast<std::uint32_t>(static_cast<int>(v)) : of_float(v);
  };
  for (unsigned row = 0; row < w.rows; ++row) {
    for (unsigned k = 0; k < w.depth; ++k)
      put(0, row * w.depth + k, w.encode(a.at(row).at(k)), w.bits);
    for (unsigned column = 0; column < w.columns; ++column)
      put(1024, row * w.columns + column, sum_bits(c.at(row).at(column)), 32);
  }
  for (unsigned column = 0; column < w.columns; ++column) {
    for (unsigned k = 0; k < w.depth; ++k)
      put(512, column * w.depth + k, w.encode(b.at(k).at(column)), w.bits);
  }
  const std::string sums = w.integer_sum ? "s32" : "f32";
  const std::string shape = w.shape;
  const std::string depth = std::to_string(w.depth);
  // %rd2 and %rd3 are the beginnings of input and output.
  const std::string body =
      "add.s64 %rd5, %rd2, 2048; add.s64 %rd6, %rd2, 4096;\n"
      "wmma.load.a.sync.aligned.row." +
      shape + ".global." + w.type + " " + list(2, w.a_registers) + ", [%rd2], " + depth + ";\n" +
      "wmma.load.b.sync.aligned.col." + shape + ".global." + w.type + " " +
      list(12, w.b_registers) + ", [%rd5], " + depth + ";\n" + "wmma.load.c.sync.aligned.row." +
      shape + ".global." + sums + " " + list(22, 8) + ", [%rd6];\n" +
      "wmma.mma.sync.aligned.row.col." + shape + "." + w.types + " " + list(32, 8) + ", " +
      list(2, w.a_registers) + ", " + list(12, w.b_registers) + ", " + list(22, 8) + ";\n" +
      "wmma.store.d.sync.aligned.col." + shape + ".global." + sums + " [%rd3], " + list(32, 8) +
      ", " + std::to_string(w.rows) + ";";
  const Outcome outcome = run_kernel(kernel_of(body), input, std::size_t{w.rows} * w.columns);
  ASSERT_EQ(outcome.fault, "");
  for (unsigned row = 0; row < w.rows; ++row) {
    for (unsigned column = 0; column < w.columns; ++column) {
      float sum = c.at(row).at(column);
      for (unsigned k = 0; k < w.depth; ++k) sum += a.at(row).at(k) * b.at(k).at(column);
      EXPECT_EQ(outcome.words.at(std::size_t{column} * w.rows + row), sum_bits(sum))
          << row << "," << column;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each, WarpMatrixProduct,
    ::testing::Values(
        WarpProduct{"f16", "m16n16k16", 16, 16, 16, "f16", "f32.f32", 16, 8, 8,
                    [](float v) -> std::uint32_t { return runtime::float_to_half(v); }},
        WarpProduct{"f16Wide", "m8n32k16", 8, 32, 16, "f16", "f32.f32", 16, 8, 8,
                    [](float v) -> std::uint32_t { return runtime::float_to_half(v); }},
        WarpProduct{"bf16", "m16n16k16", 16, 16, 16, "bf16", "f32.bf16.bf16.f32", 16, 4, 4,
                    [](float v) -> std::uint32_t { return runtime::float_to_bfloat(v); }},
        WarpProduct{"bf16Tall", "m32n8k16", 32, 8, 16, "bf16", "f32.bf16.bf16.f32", 16, 8, 2,
                    [](float v) -> std::uint32_t { return runtime::float_to_bfloat(v); }},
        WarpProduct{"tf32", "m16n16k8", 16, 16, 8, "tf32", "f32.tf32.tf32.f32", 32, 4, 4,
                    &of_float},
        WarpProduct{"s8", "m16n16k16", 16, 16, 16, "s8", "s32.s8.s8.s32", 8, 2, 2, &of_integer,
                    true},
        WarpProduct{"u8Tall", "m32n8k16", 32, 8, 16, "u8", "s32.u8.u8.s32", 8, 4, 1, &of_integer,
                    true}),
    [](const auto& tested) { return tested.param.name; });

// 64 rows of 16 bytes in shared memory, half j of row r being 100 * r + j.
std::string filled_tile(const std::string& rest) {
  return ".shared .align 16 .b8 tile[1024];\n"
         "mov.u32 %r10, tile; shl.b32 %r11, %r0, 4; add.u32 %r12, %r10, %r11;\n"
         "mul.lo.u32 %r13, %r0, 100; mov.u32 %r14, 0;\n"
         "FILL: add.u32 %r15, %r13, %r14; cvt.u16.u32 %h0, %r15; shl.b32 %r16, %r14, 1;"
         "add.u32 %r17, %r12, %r16; st.shared.b16 [%r17], %h0; add.u32 %r14, %r14, 1;"
         "setp.lt.u32 %p1, %r14, 8; @%p1 bra FILL; bar.sync 0;\n" +
         rest;
}

TEST(LoadMatrix, GivesEachLaneTwoNeighboursOfARowOfEachMatrix) {
  const Outcome outcome =
      run_kernel(kernel_of(filled_tile(
                     "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r12];"
                     "st.global.u32 [%rd1], %r20; st.global.u32 [%rd1+128], %r21;"
                     "st.global.u32 [%rd1+256], %r22; st.global.u32 [%rd1+384], %r23;")),
                 std::vector<std::uint32_t>(32), 128);
  ASSERT_EQ(outcome.fault, "");
  for (unsigned matrix = 0; matrix < 4; ++matrix) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned low = 100 * (8 * matrix + lane / 4) + lane % 4 * 2;
      EXPECT_EQ(outcome.words[matrix * 32 + lane], low | (low + 1) << 16U);
    }
  }
}

TEST(LoadMatrix, TransposedGivesNeighboursOfAColumn) {
  const Outcome outcome = run_kernel(
      kernel_of(filled_tile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r20, %r21}, [%r12];"
                            "st.global.u32 [%rd1], %r20; st.global.u32 [%rd1+128], %r21;")),
      std::vector<std::uint32_t>(32), 64);
  ASSERT_EQ(outcome.fault, "");
  for (unsigned matrix = 0; matrix < 2; ++matrix) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned low = 100 * (8 * matrix + lane % 4 * 2) + lane / 4;
      EXPECT_EQ(outcome.words[matrix * 32 + lane], low | (low + 100) << 16U);
    }
  }
}

TEST(LoadMatrix, BeyondSharedMemoryIsAFaultThatNamesTheLane) {
  const Outcome outcome =
      run_kernel(kernel_of(filled_tile("add.u32 %r12, %r12, 528;"
                                       "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, "
                                       "%r22, %r23}, [%r12]; st.global.u32 [%rd1], %r20;")),
                 std::vector<std::uint32_t>(32), 32);
  EXPECT_EQ(outcome.kind, runtime::FaultKind::out_of_bounds);
  EXPECT_THAT(outcome.fault, HasSubstr("(31,0,0)"));
}

TEST(StoreMatrix, UndoesALoad) {
  const Outcome outcome = run_kernel(
      kernel_of(filled_tile(
          "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r20, %r21}, [%r12];"
          "add.u32 %r13, %r12, 512;"
          "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r13], {%r20, %r21}; bar.sync 0;"
          "ld.shared.u32 %r22, [%r13+4]; ld.shared.u32 %r23, [%r12+4]; sub.u32 %r24, %r22, %r23;"
          "setp.gt.u32 %p2, %r0, 15; @%p2 mov.u32 %r24, 0; st.global.u32 [%rd1], %r24;")),
      std::vector<std::uint32_t>(32), 32);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words, std::vector<std::uint32_t>(32));
}

TEST(MoveMatrix, TransposesAcrossTheLanes) {
  std::vector<std::uint32_t> input(32);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned low = 100 * (lane / 4) + lane % 4 * 2;
    input[lane] = low | (low + 1) << 16U;
  }
  const Outcome outcome = run_kernel(
      kernel_of("movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r1; st.global.u32 [%rd1], %r3;"),
      input, 32);
  ASSERT_EQ(outcome.fault, "");
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned low = 100 * (lane % 4 * 2) + lane / 4;
    EXPECT_EQ(outcome.words[lane], low | (low + 100) << 16U);
  }
}

// Each lane copies its word (or four of them) to shared memory and back out.
Outcome copied(const std::string& instructions) {
  std::vector<std::uint32_t> input(160);
  for (std::uint32_t i = 0; i < input.size(); ++i) input[i] = 1000 + i;
  return run_kernel(
      kernel_of(".shared .align 16 .b8 tile[512];\nmov.u32 %r10, tile; shl.b32 %r11, %r0, 4;"
                "add.u32 %r12, %r10, %r11; mul.wide.u32 %rd5, %r0, 12; add.s64 %rd5, %rd0, %rd5;" +
                instructions +
                "cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all; bar.sync 0;"
                "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r12]; st.global.u32 [%rd1], %r20;"
                "st.global.u32 [%rd1+128], %r23;"),
      input, 64);
}

TEST(AsyncCopy, BringsSixteenBytesPerLane) {
  const Outcome outcome = copied("cp.async.cg.shared.global.L2::128B [%r12], [%rd5], 16;");
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(outcome.words[lane], 1000 + 4 * lane);
    EXPECT_EQ(outcome.words[32 + lane], 1000 + 4 * lane + 3);
  }
}

TEST(AsyncCopy, FillsWithZerosWhatIsNotRead) {
  const Outcome outcome =
      copied("mov.u32 %r30, 4; cp.async.ca.shared.global [%r12], [%rd5], 16, %r30;");
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words[3], 1012U);
  EXPECT_EQ(outcome.words[32 + 3], 0U);
}

TEST(AsyncCopy, OfNothingDoesNotLookAtItsSource) {
  const Outcome none = copied(
      "mov.u64 %rd6, 64; mov.u32 %r30, 0; cp.async.cg.shared.global [%r12], [%rd6], 16, %r30;");
  EXPECT_EQ(none.fault, "");
  EXPECT_EQ(none.words[7], 0U);
  const Outcome ignored = copied(
      "mov.u64 %rd6, 64; setp.eq.u32 %p3, %r10, %r10;"
      "cp.async.cg.shared.global [%r12], [%rd6], 16, %p3;");
  EXPECT_EQ(ignored.fault, "");
  EXPECT_EQ(ignored.words[7], 0U);
}

TEST(AsyncCopy, OutOfBoundsIsAFaultThatNamesTheSide) {
  const Outcome source =
      copied("add.s64 %rd5, %rd5, 144; cp.async.cg.shared.global [%r12], [%rd5], 16;");
  EXPECT_EQ(source.kind, runtime::FaultKind::out_of_bounds);
  EXPECT_THAT(source.fault, HasSubstr("(31,0,0)"));
  const Outcome destination =
      copied("add.u32 %r12, %r12, 16; cp.async.ca.shared.global [%r12], [%rd5], 16;");
  EXPECT_EQ(destination.kind, runtime::FaultKind::out_of_bounds);
  const Outcome crooked =
      copied("add.s64 %rd5, %rd5, 4; cp.async.cg.shared.global [%r12], [%rd5], 16;");
  EXPECT_EQ(crooked.kind, runtime::FaultKind::misaligned);
}

}  // namespace
}  // namespace emulator::testing
