// Arithmetic of f16 and bf16, alone and in pairs: exact, then rounded once.
#include <fmt/format.h>

#include "random/numbers.h"
#include "random/operations.h"

namespace emulator::testing::random {
namespace {

using Compute = double (*)(double a, double b, double c);

struct Row {
  const char* word;
  std::size_t operands;
  Compute compute;
};
// Sums and products of two are exact in a double but for bf16's sums; odd() serves all.
constexpr Row kRows[] = {
    {"add", 2, [](double a, double b, double) { return odd([&] { return a + b; }); }},
    {"sub", 2, [](double a, double b, double) { return odd([&] { return a - b; }); }},
    {"mul", 2, [](double a, double b, double) { return odd([&] { return a * b; }); }},
    {"fma", 3, [](double a, double b, double c) { return odd([&] { return std::fma(a, b, c); }); }},
};

// An exact zero that is a sum of two opposite numbers is -0 nowhere but in a rounding down, which
// odd() does not use; so its sign is right.
std::uint64_t one(const Row& row, HalfType type, bool relu, std::uint64_t a, std::uint64_t b,
                  std::uint64_t c) {
  const double exact = row.compute(half(a, type), half(b, type), half(c, type));
  double value = rounded(exact, format_of(type), FE_TONEAREST);
  if (relu && !std::isnan(value) && !(value > 0)) value = 0;
  return bits_of_half(value, type);
}

void add_arithmetic(std::vector<Operation>& all, HalfType type) {
  const std::string name = name_of(type);
  const char* const lists[] = {" D, A, B;", " D, A, B, C;"};
  for (const Row& row : kRows) {
    const std::string word = row.operands == 3
                                 ? "fma.rn"
                                 : fmt::format("{}{}", row.word, row.word[0] == 'm' ? ".rn" : "");
    all.push_back({fmt::format("{}.{}{}", word, name, lists[row.operands - 2]), Kind::b16,
                   std::vector<Kind>(row.operands, Kind::b16), [&row, type](const Operands& v) {
                     return one(row, type, false, v[0], v[1], v[2]);
                   }});
    all.push_back({fmt::format("{}.{}x2{}", word, name, lists[row.operands - 2]), Kind::b32,
                   std::vector<Kind>(row.operands, Kind::b32), [&row, type](const Operands& v) {
                     const auto low = [&](std::size_t i) { return v[i] & 0xffffU; };
                     const auto high = [&](std::size_t i) { return v[i] >> 16; };
                     return one(row, type, false, low(0), low(1), low(2)) |
                            one(row, type, false, high(0), high(1), high(2)) << 16;
                   }});
  }
  all.push_back(
      {fmt::format("fma.rn.relu.{} D, A, B, C;", name),
       Kind::b16,
       {Kind::b16, Kind::b16, Kind::b16},
       [type](const Operands& v) { return one(kRows[3], type, true, v[0], v[1], v[2]); }});
  const auto unless_nan = [type](std::uint64_t source, std::uint64_t result) {
    return std::isnan(half(source, type)) ? 0x7fff : result;
  };
  all.push_back({fmt::format("neg.{} D, A;", name), Kind::b16, {Kind::b16}, [=](const Operands& v) {
                   return unless_nan(v[0], v[0] ^ 0x8000U);
                 }});
  all.push_back({fmt::format("abs.{} D, A;", name), Kind::b16, {Kind::b16}, [=](const Operands& v) {
                   return unless_nan(v[0], v[0] & 0x7fffU);
                 }});
  for (const bool maximum : {false, true}) {
    all.push_back({fmt::format("{}.{} D, A, B;", maximum ? "max" : "min", name),
                   Kind::b16,
                   {Kind::b16, Kind::b16},
                   [=](const Operands& v) -> std::uint64_t {
                     const double a = half(v[0], type);
                     const double b = half(v[1], type);
                     if (std::isnan(a) && std::isnan(b)) return 0x7fff;
                     if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? v[1] : v[0];
                     if (a == b) return std::signbit(a) != maximum ? v[0] : v[1];
                     return (a < b) != maximum ? v[0] : v[1];
                   }});
  }
}

}  // namespace

void add_half_operations(std::vector<Operation>& all) {
  add_arithmetic(all, HalfType::f16);
  add_arithmetic(all, HalfType::bf16);
}

}  // namespace emulator::testing::random
