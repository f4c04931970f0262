// Products of matrices with the host's vectors against the plain loops, on every kind of operand.
#include "runtime/matrix.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/wide_product.h"

namespace emulator::runtime {
namespace {

struct Product {
  const char* name;
  MatrixShape shape;
};

using Registers = std::vector<std::uint32_t>;

constexpr unsigned kRounds = 200;

std::vector<std::uint32_t> edges(MatrixType type) {
  switch (type) {
    case MatrixType::f16:
      return {0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3c00};
    case MatrixType::bf16:
      return {0, 0x8000, 1, 0x8001, 0x7f, 0x80, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x3f80};
    case MatrixType::e4m3:
      return {0, 0x80, 1, 0x81, 7, 8, 0x7e, 0xfe, 0x7f, 0xff, 0x38};
    case MatrixType::e3m2:
    case MatrixType::e2m3:
    case MatrixType::e2m1_in_byte:
      return {0, 0x20, 0x3f, 0x1f, 4, 8, 0xc0, 0xe0, 0xff, 3};
    case MatrixType::e5m2:
      return {0, 0x80, 1, 0x81, 3, 4, 0x7b, 0xfb, 0x7c, 0xfc, 0x7f, 0x3c};
    default:
      return {0,          0x80000000, 1,          0x80000001, 0x7fffff,   0x800000,
              0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000};
  }
}

// Registers of random elements, every eighth of them, or none, an edge.
Registers random_registers(std::mt19937& random, MatrixType type, std::size_t registers,
                           bool with_edges) {
  const unsigned bits = bits_of(type);
  const std::vector<std::uint32_t> special = edges(type);
  Registers words(registers * kWarpSize);
  for (std::uint32_t& word : words) {
    for (unsigned at = 0; at < 32; at += bits) {
      auto element = static_cast<std::uint32_t>(random());
      if (with_edges && random() % 8 == 0) element = special.at(random() % special.size());
      word |= (bits == 32 ? element : element & ((1U << bits) - 1)) << at;
    }
  }
  return words;
}

// A NaN is a NaN: which one, the order of an instruction's operands decides.
Registers with_one_nan(Registers words, MatrixType type) {
  for (std::uint32_t& word : words) {
    if (type == MatrixType::f32 && std::isnan(std::bit_cast<float>(word))) word = 0x7fffffff;
  }
  return words;
}

class WideProduct : public testing::TestWithParam<std::tuple<Product, VectorWidth>> {};

TEST_P(WideProduct, HasTheBitsOfThePlainOne) {
  const auto& [product, width] = GetParam();
  if (width > widest_vectors()) GTEST_SKIP() << "this CPU has no such vectors";
  const MatrixShape& shape = product.shape;
  const std::size_t per_lane = std::size_t{shape.depth} * bits_of(shape.a) / 32;
  std::mt19937 random(17);
  for (unsigned round = 0; round < kRounds; ++round) {
    const bool with_edges = round % 2 != 0;
    const Registers a = random_registers(random, shape.a, per_lane / 2, with_edges);
    const Registers b = random_registers(random, shape.b, per_lane / 4, with_edges);
    const Registers c = random_registers(random, shape.c, bits_of(shape.c) / 8, with_edges);
    Registers expected(c.size());
    Registers found(c.size());
    const auto bytes = [](const Registers& words) {
      return reinterpret_cast<const std::uint8_t*>(words.data());
    };
    multiply_plainly(shape, bytes(a), bytes(b), bytes(c),
                     reinterpret_cast<std::uint8_t*>(expected.data()));
    multiply_wide(width, shape, bytes(a), bytes(b), bytes(c),
                  reinterpret_cast<std::uint8_t*>(found.data()));
    ASSERT_EQ(with_one_nan(found, shape.c), with_one_nan(expected, shape.c)) << round;
  }
}

constexpr auto kF16 = MatrixType::f16;
constexpr auto kBf16 = MatrixType::bf16;
constexpr auto kF32 = MatrixType::f32;
constexpr auto kE4m3 = MatrixType::e4m3;
constexpr auto kE5m2 = MatrixType::e5m2;
constexpr auto kE3m2 = MatrixType::e3m2;
constexpr auto kE2m3 = MatrixType::e2m3;
constexpr auto kE2m1 = MatrixType::e2m1_in_byte;
constexpr auto kTf32 = MatrixType::tf32;

INSTANTIATE_TEST_SUITE_P(
    Each, WideProduct,
    testing::Combine(testing::Values(Product{"bf16k16", {kBf16, kBf16, kF32, 16}},
                                     Product{"bf16k8", {kBf16, kBf16, kF32, 8}},
                                     Product{"f16k16", {kF16, kF16, kF32, 16}},
                                     Product{"f16k8", {kF16, kF16, kF32, 8}},
                                     Product{"f16k16InHalf", {kF16, kF16, kF16, 16}},
                                     Product{"f16k8InHalf", {kF16, kF16, kF16, 8}},
                                     Product{"tf32k8", {kTf32, kTf32, kF32, 8}},
                                     Product{"tf32k4", {kTf32, kTf32, kF32, 4}},
                                     Product{"e4m3k32", {kE4m3, kE4m3, kF32, 32}},
                                     Product{"e4m3e5m2k16", {kE4m3, kE5m2, kF32, 16}},
                                     Product{"e5m2k32InHalf", {kE5m2, kE5m2, kF16, 32}},
                                     Product{"e3m2e2m1k32", {kE3m2, kE2m1, kF32, 32}},
                                     Product{"e2m3e3m2k32", {kE2m3, kE3m2, kF16, 32}}),
                     testing::Values(VectorWidth::avx2, VectorWidth::avx512)),
    [](const auto& tested) {
      return std::string(std::get<0>(tested.param).name) +
             (std::get<1>(tested.param) == VectorWidth::avx2 ? "With256" : "With512");
    });

}  // namespace
}  // namespace emulator::runtime
