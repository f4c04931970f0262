// Products of f64, of 8 bits with eight rows, of 4 bits and of single bits, and the four at once of
// mma.m8n8k4, against the layouts as the PTX ISA writes them down: by the number i of an element in
// its fragment, groupID = lane / 4 and threadID_in_group = lane % 4.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <functional>
#include <random>

#include "runtime/half.h"
#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

struct At {
  unsigned row;
  unsigned column;
};
using Place = std::function<At(unsigned lane, unsigned i)>;
using Matrix = std::vector<std::vector<double>>;

enum class Kind : std::uint8_t { s8, u8, s4, u4, b1, f64, f16, f32, s32 };

unsigned bits_of(Kind kind) {
  switch (kind) {
    case Kind::s8:
    case Kind::u8:
      return 8;
    case Kind::s4:
    case Kind::u4:
      return 4;
    case Kind::b1:
      return 1;
    case Kind::f64:
      return 64;
    case Kind::f16:
      return 16;
    case Kind::f32:
    case Kind::s32:
      return 32;
  }
  return 0;
}

std::uint64_t encoded(Kind kind, double value) {
  switch (kind) {
    case Kind::f64:
      return std::bit_cast<std::uint64_t>(value);
    case Kind::f32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case Kind::f16:
      return runtime::float_to_half(static_cast<float>(value));
    default:
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) &
             ((std::uint64_t{1} << bits_of(kind)) - 1);
  }
}

// Any value of the type, or small whole numbers of a floating one.
double drawn(Kind kind, std::mt19937& random) {
  const auto between = [&](int low, int high) {
    return static_cast<double>(std::uniform_int_distribution<int>(low, high)(random));
  };
  switch (kind) {
    case Kind::s8:
      return between(-128, 127);
    case Kind::u8:
      return between(0, 255);
    case Kind::s4:
      return between(-8, 7);
    case Kind::u4:
      return between(0, 15);
    case Kind::b1:
      return between(0, 1);
    case Kind::f64:
      return between(-100000, 100000) / 64.0;
    case Kind::s32:
      return between(-1000000, 1000000);
    default:
      return between(-6, 6);
  }
}

Matrix drawn(Kind kind, unsigned rows, unsigned columns, std::mt19937& random) {
  Matrix matrix(rows, std::vector<double>(columns));
  for (auto& row : matrix) {
    for (double& value : row) value = drawn(kind, random);
  }
  return matrix;
}

// The words of a fragment: word w of lane l at w * 32 + l, elements from the lowest bits up.
std::vector<std::uint32_t> fragment(Kind kind, unsigned elements, const Place& place,
                                    const std::function<double(unsigned lane, At)>& value) {
  const unsigned bits = bits_of(kind);
  std::vector<std::uint32_t> words(std::size_t{elements} * bits);  // / 32 each, * 32 lanes
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < elements; ++i) {
      const std::uint64_t code = encoded(kind, value(lane, place(lane, i)));
      const unsigned word = i * bits / 32;
      words[std::size_t{word} * 32 + lane] |= static_cast<std::uint32_t>(code) << (i * bits % 32);
      if (bits == 64)
        words[(std::size_t{word} + 1) * 32 + lane] = static_cast<std::uint32_t>(code >> 32);
    }
  }
  return words;
}

// Loads a fragment's registers, which are numbered from `first` on, and lists them.
struct Registers {
  std::string loads;
  std::string list;
};
Registers registers(Kind kind, unsigned first, std::size_t word, std::size_t words) {
  Registers all{"", "{"};
  const std::size_t step = kind == Kind::f64 ? 2 : 1;
  for (std::size_t w = 0; w < words; w += step) {
    const std::size_t r = first + w / step;
    const auto load = [&](std::size_t to, std::size_t from) {
      return "ld.global.u32 %r" + std::to_string(to) + ", [%rd0+" + std::to_string(from * 128) +
             "];\n";
    };
    const std::string name = (step == 2 ? "%d" : "%r") + std::to_string(r);
    all.loads += step == 2 ? load(8, word + w) + load(9, word + w + 1) + "mov.b64 " + name +
                                 ", {%r8, %r9};\n"
                           : load(r, word + w);
    all.list += (w == 0 ? "" : ", ") + name;
  }
  all.list += "}";
  return all;
}
std::string stores(Kind kind, unsigned first, std::size_t words) {
  std::string text;
  for (std::size_t w = 0; w < words; ++w) {
    const std::string at = "[%rd1+" + std::to_string(w * 128) + "], %r";
    if (kind == Kind::f64) {
      text += "mov.b64 {%r8, %r9}, %d" + std::to_string(first + w / 2) + ";\nst.global.u32 " + at +
              (w % 2 == 0 ? "8" : "9") + ";\n";
    } else {
      text += "st.global.u32 " + at + std::to_string(first + w) + ";\n";
    }
  }
  return text;
}

struct Case {
  const char* name;
  const char* instruction;
  unsigned rows;
  unsigned depth;
  Kind a;
  Kind b;
  Kind c;
  bool counts_xor = false;
};
void PrintTo(const Case& tested, std::ostream* out) { *out << tested.name; }

double expected(const Case& tested, const Matrix& a, const Matrix& b, const Matrix& c, At at) {
  double sum = c[at.row][at.column];  // exact: no product here needs more than 53 bits
  for (unsigned k = 0; k < tested.depth; ++k) {
    const double x = a[at.row][k];
    const double y = b[k][at.column];
    sum += tested.counts_xor ? static_cast<double>(x != y) : x * y;
  }
  return sum;
}

class OtherProduct : public ::testing::TestWithParam<Case> {};

TEST_P(OtherProduct, IsExactInEveryElement) {
  const Case& tested = GetParam();
  std::mt19937 random(tested.depth);
  const Matrix a = drawn(tested.a, tested.rows, tested.depth, random);
  const Matrix b = drawn(tested.b, tested.depth, 8, random);
  const Matrix c = drawn(tested.c, tested.rows, 8, random);
  const unsigned packed = bits_of(tested.a) == 64 ? 1 : 32 / bits_of(tested.a);
  // PTX ISA, "Matrix Fragments for mma.m16n8k32 with .s4" and those beside it: a register of A
  // holds neighbours of a row; the rows from 8 on come second, the second half of the columns
  // third.
  const bool tall = tested.rows == 16;
  const Place of_a = [&](unsigned lane, unsigned i) {
    const unsigned reg = i / packed;
    return tall ? At{lane / 4 + 8 * (reg % 2),
                     lane % 4 * packed + i % packed + 4 * packed * (reg / 2)}
                : At{lane / 4, lane % 4 * packed + i};
  };
  const Place of_b = [&](unsigned lane, unsigned i) {
    return At{lane % 4 * packed + i % packed + 4 * packed * (i / packed), lane / 4};
  };
  const Place of_c = [&](unsigned lane, unsigned i) {
    return At{lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2};
  };
  const auto in = [](const Matrix& matrix) {
    return [&matrix](unsigned, At at) { return matrix.at(at.row).at(at.column); };
  };
  auto input = fragment(tested.a, tested.rows * tested.depth / 32, of_a, in(a));
  const std::size_t a_words = input.size() / 32;
  const auto b_input = fragment(tested.b, tested.depth * 8 / 32, of_b, in(b));
  const auto c_input = fragment(tested.c, tested.rows * 8 / 32, of_c, in(c));
  input.insert(input.end(), b_input.begin(), b_input.end());
  input.insert(input.end(), c_input.begin(), c_input.end());
  const std::size_t b_words = b_input.size() / 32;
  const std::size_t c_words = c_input.size() / 32;
  const Registers ra = registers(tested.a, 10, 0, a_words);
  const Registers rb = registers(tested.b, 20, a_words, b_words);
  const Registers rc = registers(tested.c, 26, a_words + b_words, c_words);
  const std::string body = ra.loads + rb.loads + rc.loads + tested.instruction + " " + rc.list +
                           ", " + ra.list + ", " + rb.list + ", " + rc.list + ";\n" +
                           stores(tested.c, 26, c_words);
  const Outcome outcome = run_kernel(kernel_of(body), input, c_words * 32);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words, fragment(tested.c, tested.rows * 8 / 32, of_c, [&](unsigned, At at) {
              return expected(tested, a, b, c, at);
            }));
}

constexpr Case kCases[] = {
    {"s8m8", "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 8, 16, Kind::s8, Kind::s8,
     Kind::s32},
    {"u8s8m8", "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32", 8, 16, Kind::u8,
     Kind::s8, Kind::s32},
    {"s4m8", "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", 8, 32, Kind::s4, Kind::s4,
     Kind::s32},
    {"u4s4m16", "mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32", 16, 32, Kind::u4, Kind::s4,
     Kind::s32},
    {"s4u4k64", "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32", 16, 64, Kind::s4,
     Kind::u4, Kind::s32},
    {"b1xor_m8", "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 8, 128, Kind::b1,
     Kind::b1, Kind::s32, true},
    {"b1and", "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", 16, 128, Kind::b1,
     Kind::b1, Kind::s32},
    {"b1xor_k256", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 16, 256, Kind::b1,
     Kind::b1, Kind::s32, true},
    {"b1and_k256", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 16, 256, Kind::b1,
     Kind::b1, Kind::s32},
    {"f64k4", "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", 16, 4, Kind::f64, Kind::f64,
     Kind::f64},
    {"f64k8", "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 16, 8, Kind::f64, Kind::f64,
     Kind::f64},
    {"f64k16", "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 16, 16, Kind::f64, Kind::f64,
     Kind::f64},
};
INSTANTIATE_TEST_SUITE_P(Each, OtherProduct, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

// mma.m8n8k4 of f16: lanes 4q to 4q + 3 and 16 + 4q to 19 + 4q have product q.
struct QuadCase {
  const char* name;
  bool a_by_column;
  bool b_by_column;
  Kind d;
  Kind c;
};
void PrintTo(const QuadCase& tested, std::ostream* out) { *out << tested.name; }
class QuadProduct : public ::testing::TestWithParam<QuadCase> {};

TEST_P(QuadProduct, IsExactInEveryElementOfAllFour) {
  const QuadCase& tested = GetParam();
  std::mt19937 random(4);
  std::array<Matrix, 4> a;
  std::array<Matrix, 4> b;
  std::array<Matrix, 4> c;
  for (unsigned q = 0; q < 4; ++q) {
    a[q] = drawn(Kind::f16, 8, 4, random);
    b[q] = drawn(Kind::f16, 4, 8, random);
    c[q] = drawn(tested.c, 8, 8, random);
  }
  const auto upper = [](unsigned lane) { return lane < 16 ? 0U : 4U; };
  const Place of_a = [&](unsigned lane, unsigned i) {
    return tested.a_by_column ? At{i + upper(lane), lane % 4} : At{lane % 4 + upper(lane), i};
  };
  const Place of_b = [&](unsigned lane, unsigned i) {
    return tested.b_by_column ? At{i, lane % 4 + upper(lane)} : At{lane % 4, i + upper(lane)};
  };
  const auto of_sum = [&](Kind kind) -> Place {
    if (kind == Kind::f16)
      return [&](unsigned lane, unsigned i) { return At{lane % 4 + upper(lane), i}; };
    return [&](unsigned lane, unsigned i) {
      return At{(lane & 1U) + (i & 2U) + upper(lane), (i & 4U) + (lane & 2U) + (i & 1U)};
    };
  };
  const auto in = [](const std::array<Matrix, 4>& matrices) {
    return [&matrices](unsigned lane, At at) {
      return matrices.at(lane / 4 % 4).at(at.row).at(at.column);
    };
  };
  auto input = fragment(Kind::f16, 4, of_a, in(a));
  const auto b_input = fragment(Kind::f16, 4, of_b, in(b));
  const auto c_input = fragment(tested.c, 8, of_sum(tested.c), in(c));
  input.insert(input.end(), b_input.begin(), b_input.end());
  input.insert(input.end(), c_input.begin(), c_input.end());
  const Registers ra = registers(Kind::f16, 10, 0, 2);
  const Registers rb = registers(Kind::f16, 12, 2, 2);
  const Registers rc = registers(tested.c, 20, 4, c_input.size() / 32);
  const std::size_t d_words = tested.d == Kind::f16 ? 4 : 8;
  const Registers rd = registers(tested.d, 30, 0, d_words);
  const auto layout = [](bool by_column) { return by_column ? ".col" : ".row"; };
  const auto type = [](Kind kind) { return kind == Kind::f16 ? ".f16" : ".f32"; };
  const std::string body =
      ra.loads + rb.loads + rc.loads + "mma.sync.aligned.m8n8k4" + layout(tested.a_by_column) +
      layout(tested.b_by_column) + type(tested.d) + ".f16.f16" + type(tested.c) + " " + rd.list +
      ", " + ra.list + ", " + rb.list + ", " + rc.list + ";\n" + stores(tested.d, 30, d_words);
  const Outcome outcome = run_kernel(kernel_of(body), input, d_words * 32);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words, fragment(tested.d, 8, of_sum(tested.d), [&](unsigned lane, At at) {
              const unsigned q = lane / 4 % 4;
              double sum = c[q][at.row][at.column];
              for (unsigned k = 0; k < 4; ++k) sum += a[q][at.row][k] * b[q][k][at.column];
              return sum;
            }));
}
INSTANTIATE_TEST_SUITE_P(Each, QuadProduct,
                         ::testing::Values(QuadCase{"row_col", false, true, Kind::f32, Kind::f32},
                                           QuadCase{"row_row", false, false, Kind::f16, Kind::f16},
                                           QuadCase{"col_col", true, true, Kind::f16, Kind::f16},
                                           QuadCase{"col_row", true, false, Kind::f32, Kind::f16}),
                         [](const auto& test) { return std::string(test.param.name); });

// wmma: matrices in memory, A by rows, B by columns, C by rows, D by columns.
struct WarpCase {
  const char* name;
  const char* shape;
  const char* mma;  // the rest of wmma.mma's name
  unsigned depth;
  Kind a;
  Kind c;
  bool counts_xor = false;
};
void PrintTo(const WarpCase& tested, std::ostream* out) { *out << tested.name; }
class OtherWarpProduct : public ::testing::TestWithParam<WarpCase> {};

TEST_P(OtherWarpProduct, IsExactInEveryElement) {
  const WarpCase& tested = GetParam();
  std::mt19937 random(tested.depth);
  const Matrix a = drawn(tested.a, 8, tested.depth, random);
  const Matrix b = drawn(tested.a, tested.depth, 8, random);
  const Matrix c = drawn(tested.c, 8, 8, random);
  std::vector<std::uint32_t> input(1024);
  const auto put = [&](std::size_t word, unsigned index, Kind kind, double value) {
    const unsigned bits = bits_of(kind);
    const std::uint64_t code = encoded(kind, value);
    const std::size_t at = word + std::size_t{index} * bits / 32;
    input.at(at) |= static_cast<std::uint32_t>(code) << (index * bits % 32);
    if (bits == 64) input.at(at + 1) = static_cast<std::uint32_t>(code >> 32);
  };
  for (unsigned line = 0; line < 8; ++line) {
    for (unsigned k = 0; k < tested.depth; ++k) {
      put(0, line * tested.depth + k, tested.a, a[line][k]);
      put(256, line * tested.depth + k, tested.a, b[k][line]);
    }
    for (unsigned column = 0; column < 8; ++column)
      put(512, line * 8 + column, tested.c, c[line][column]);
  }
  const bool doubles = tested.c == Kind::f64;
  const std::string type = doubles                ? "f64"
                           : tested.a == Kind::s4 ? "s4"
                           : tested.a == Kind::u4 ? "u4"
                                                  : "b1";
  const std::string sums = doubles ? "f64" : "s32";
  const std::string name = doubles ? "%d" : "%r";
  const std::string depth = std::to_string(tested.depth);
  const std::string shape = tested.shape;
  const std::string body =
      "add.s64 %rd5, %rd2, 1024; add.s64 %rd6, %rd2, 2048;\nwmma.load.a.sync.aligned.row." + shape +
      ".global." + type + " {" + name + "10}, [%rd2], " + depth +
      ";\nwmma.load.b.sync.aligned.col." + shape + ".global." + type + " {" + name +
      "11}, [%rd5], " + depth + ";\nwmma.load.c.sync.aligned.row." + shape + ".global." + sums +
      " {" + name + "12, " + name + "13}, [%rd6];\nwmma.mma." + tested.mma + " {" + name + "14, " +
      name + "15}, {" + name + "10}, {" + name + "11}, {" + name + "12, " + name +
      "13};\nwmma.store.d.sync.aligned.col." + shape + ".global." + sums + " [%rd3], {" + name +
      "14, " + name + "15}, 8;";
  const std::size_t words = doubles ? 2 : 1;
  const Outcome outcome = run_kernel(kernel_of(body), input, 64 * words);
  ASSERT_EQ(outcome.fault, "");
  const Case plain{tested.name, "",       8,        tested.depth,
                   tested.a,    tested.a, tested.c, tested.counts_xor};
  for (unsigned row = 0; row < 8; ++row) {
    for (unsigned column = 0; column < 8; ++column) {
      const std::uint64_t code = encoded(tested.c, expected(plain, a, b, c, {row, column}));
      const std::size_t at = (std::size_t{column} * 8 + row) * words;
      ASSERT_EQ(outcome.words[at], static_cast<std::uint32_t>(code)) << row << "," << column;
      EXPECT_EQ(doubles ? outcome.words[at + 1] : 0, code >> 32) << row << "," << column;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(
    Each, OtherWarpProduct,
    ::testing::Values(
        WarpCase{"f64", "m8n8k4", "sync.aligned.row.col.m8n8k4.rn.f64.f64.f64.f64", 4, Kind::f64,
                 Kind::f64},
        WarpCase{"s4", "m8n8k32", "sync.aligned.row.col.m8n8k32.s32.s4.s4.s32", 32, Kind::s4,
                 Kind::s32},
        WarpCase{"u4", "m8n8k32", "sync.aligned.row.col.m8n8k32.s32.u4.u4.s32.satfinite", 32,
                 Kind::u4, Kind::s32},
        WarpCase{"b1xor", "m8n8k128", "xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 128,
                 Kind::b1, Kind::s32, true},
        WarpCase{"b1and", "m8n8k128", "and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 128,
                 Kind::b1, Kind::s32}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(OtherProducts, ClampWhereTheySaturate) {
  const auto run = [](const std::string& word) {
    const Outcome outcome = run_kernel(
        kernel_of("mov.u32 %r3, 0x7fffffff; mov.u32 %r4, 0x80000000; mov.u32 %r5, 0xffffffff;"
                  "mov.u32 %r6, 0x11111111; mma.sync.aligned.m8n8k32.row.col" +
                  word +
                  ".s32.u4.s4.s32 {%r10, %r11}, {%r5}, {%r6}, {%r3, %r3};"
                  "mma.sync.aligned.m8n8k32.row.col" +
                  word +
                  ".s32.u4.s4.s32 {%r12, %r13}, {%r5}, {%r5}, {%r4, %r4};"
                  "st.global.u32 [%rd1], %r10; st.global.u32 [%rd1+128], %r12;"),
        std::vector<std::uint32_t>(32), 64);
    return std::pair(outcome.words[0], outcome.words[32]);
  };
  EXPECT_EQ(run(".satfinite"), std::pair(0x7fffffffU, 0x80000000U));
  EXPECT_EQ(run(""), std::pair(0x7fffffffU + 32 * 15, 0x80000000U - 32 * 15));
}

}  // namespace
}  // namespace emulator::testing
