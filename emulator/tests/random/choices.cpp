// Comparisons, and what is chosen by them.
#include <fmt/format.h>

#include "random/numbers.h"
#include "random/operations.h"

namespace emulator::testing::random {
namespace {

// How two numbers lie to each other, as a bit each.
enum Order : unsigned { less = 1, equal = 2, greater = 4, unordered = 8 };

template <typename T>
unsigned order(T a, T b) {
  if (a < b) return less;
  if (a > b) return greater;
  return a == b ? equal : unordered;
}

struct Comparison {
  const char* word;
  unsigned holds;
};
constexpr Comparison kOfIntegers[] = {{"eq", equal},   {"ne", less | greater},
                                      {"lt", less},    {"le", less | equal},
                                      {"gt", greater}, {"ge", greater | equal}};
constexpr Comparison kOfFloats[] = {
    {"equ", equal | unordered},      {"neu", less | greater | unordered},
    {"ltu", less | unordered},       {"leu", less | equal | unordered},
    {"gtu", greater | unordered},    {"geu", greater | equal | unordered},
    {"num", less | equal | greater}, {"nan", unordered}};

using Ordering = std::function<unsigned(std::uint64_t a, std::uint64_t b)>;

void compare(std::vector<Operation>& all, const Comparison& comparison, const std::string& type,
             Kind kind, const Ordering& ordering) {
  const unsigned holds = comparison.holds;
  all.push_back(
      {fmt::format("setp.{}.{} D, A, B;", comparison.word, type),
       Kind::pred,
       {kind, kind},
       [=](const Operands& v) { return std::uint64_t{(ordering(v[0], v[1]) & holds) != 0}; }});
  all.push_back({fmt::format("setp.{}.xor.{} D, A, B, C;", comparison.word, type),
                 Kind::pred,
                 {kind, kind, Kind::pred},
                 [=](const Operands& v) {
                   return std::uint64_t{(ordering(v[0], v[1]) & holds) != 0} ^ v[2];
                 }});
  if (kind == Kind::b16) return;  // set has no such forms for f16 in a b32
  all.push_back({fmt::format("set.{}.u32.{} D, A, B;", comparison.word, type),
                 Kind::b32,
                 {kind, kind},
                 [=](const Operands& v) -> std::uint64_t {
                   return (ordering(v[0], v[1]) & holds) != 0 ? 0xffffffff : 0;
                 }});
}

void choose(std::vector<Operation>& all, Kind kind, const std::string& type) {
  all.push_back({fmt::format("selp.{} D, A, B, C;", type),
                 kind,
                 {kind, kind, Kind::pred},
                 [](const Operands& v) { return v[2] != 0 ? v[0] : v[1]; }});
  if (kind == Kind::b16) return;
  all.push_back({fmt::format("slct.{}.s32 D, A, B, C;", type),
                 kind,
                 {kind, kind, Kind::b32},
                 [](const Operands& v) { return integer(v[2], 32, true) >= 0 ? v[0] : v[1]; }});
  all.push_back({fmt::format("slct.{}.f32 D, A, B, C;", type),
                 kind,
                 {kind, kind, Kind::f32},
                 [](const Operands& v) { return as_float(v[2]) >= 0 ? v[0] : v[1]; }});
}

}  // namespace

void add_choices(std::vector<Operation>& all) {
  constexpr Kind kWords[] = {Kind::b16, Kind::b32, Kind::b64};
  for (const Comparison& comparison : kOfIntegers) {
    for (const Kind kind : kWords) {
      for (const bool is_signed : {false, true}) {
        const unsigned bits = bits_of(kind);
        compare(all, comparison, fmt::format("{}{}", is_signed ? 's' : 'u', bits), kind,
                [=](std::uint64_t a, std::uint64_t b) {
                  return order(integer(a, bits, is_signed), integer(b, bits, is_signed));
                });
      }
    }
  }
  const auto of_floats = [&all](const Comparison& comparison) {
    compare(all, comparison, "f32", Kind::f32,
            [](std::uint64_t a, std::uint64_t b) { return order(as_float(a), as_float(b)); });
    compare(all, comparison, "f64", Kind::f64,
            [](std::uint64_t a, std::uint64_t b) { return order(as_double(a), as_double(b)); });
    for (const HalfType type : {HalfType::f16, HalfType::bf16}) {
      compare(all, comparison, name_of(type), Kind::b16, [type](std::uint64_t a, std::uint64_t b) {
        return order(half(a, type), half(b, type));
      });
    }
  };
  for (const Comparison& comparison : kOfIntegers) of_floats(comparison);
  for (const Comparison& comparison : kOfFloats) of_floats(comparison);
  choose(all, Kind::b16, "b16");
  choose(all, Kind::b32, "b32");
  choose(all, Kind::b64, "b64");
  choose(all, Kind::f32, "f32");
  choose(all, Kind::f64, "f64");
  const auto property = [&all](const char* word, bool (*holds)(float)) {
    // Two statements take no guard: NVIDIA's assembler of CUDA 13.0 leaves that of a testp out.
    all.push_back({fmt::format("mov.b32 T, 0; testp.{}.f32 D, A;", word),
                   Kind::pred,
                   {Kind::f32},
                   [holds](const Operands& v) { return std::uint64_t{holds(as_float(v[0]))}; }});
  };
  property("finite", [](float x) { return std::isfinite(x); });
  property("infinite", [](float x) { return std::isinf(x); });
  property("notanumber", [](float x) { return std::isnan(x); });
  // Zero counts as normal here, as an H200 has it.
  property("normal", [](float x) { return std::isnormal(x) || x == 0; });
  property("subnormal", [](float x) { return std::fpclassify(x) == FP_SUBNORMAL; });
}

}  // namespace emulator::testing::random
