// Arithmetic of f32 and f64, by the host's in the same rounding.
#include <fmt/format.h>

#include "random/numbers.h"
#include "random/operations.h"

namespace emulator::testing::random {
namespace {

// Hides a number from the compiler, which would compute in another rounding while it compiles.
template <typename T>
T opaque(T value) {
  volatile T hidden = value;
  return hidden;
}

template <typename T>
struct Type;
template <>
struct Type<float> {
  static constexpr Kind kKind = Kind::f32;
  static constexpr const char* kName = "f32";
  static float number(std::uint64_t bits) { return as_float(bits); }
  static std::uint64_t bits(float value) { return bits_of_float(value); }
};
template <>
struct Type<double> {
  static constexpr Kind kKind = Kind::f64;
  static constexpr const char* kName = "f64";
  static double number(std::uint64_t bits) { return as_double(bits); }
  static std::uint64_t bits(double value) { return bits_of_double(value); }
};

struct Suffix {
  const char* text;
  bool flushes;
  bool saturates;
};
constexpr Suffix kSuffixes[] = {
    {"", false, false}, {".ftz", true, false}, {".sat", false, true}, {".ftz.sat", true, true}};

template <typename T, typename Compute>
void add(std::vector<Operation>& all, const std::string& word, std::size_t operands,
         const Direction& direction, const Suffix& suffix, Compute compute) {
  const char* const lists[] = {" D, A;", " D, A, B;", " D, A, B, C;"};
  const bool keeps = word == "div" || word == "rcp" || word == "sqrt";
  if (suffix.saturates && keeps) return;  // they have no .sat
  all.push_back(
      {fmt::format("{}.{}{}.{}{}", word, direction.word, suffix.text, Type<T>::kName,
                   lists[operands - 1]),
       Type<T>::kKind, std::vector<Kind>(operands, Type<T>::kKind), [=](const Operands& v) {
         std::array<T, 3> numbers{};
         for (std::size_t i = 0; i < operands; ++i) {
           numbers[i] = Type<T>::number(v[i]);
           if constexpr (sizeof(T) == 4) {
             if (suffix.flushes) numbers[i] = flushed_float(numbers[i]);
           }
         }
         T result{};
         {
           const HostRounding rounding(direction.mode);
           result = opaque(compute(opaque(numbers[0]), opaque(numbers[1]), opaque(numbers[2])));
         }
         if constexpr (sizeof(T) == 4) {
           if (suffix.flushes) result = flushed_float(result);
         }
         return Type<T>::bits(suffix.saturates ? saturated(result) : result);
       }});
}

template <typename T>
void add_arithmetic(std::vector<Operation>& all) {
  for (const Direction& direction : kDirections) {
    for (const Suffix& suffix : kSuffixes) {
      if (sizeof(T) == 8 && (suffix.flushes || suffix.saturates)) continue;
      add<T>(all, "add", 2, direction, suffix, [](T a, T b, T) { return a + b; });
      add<T>(all, "sub", 2, direction, suffix, [](T a, T b, T) { return a - b; });
      add<T>(all, "mul", 2, direction, suffix, [](T a, T b, T) { return a * b; });
      add<T>(all, "fma", 3, direction, suffix, [](T a, T b, T c) { return std::fma(a, b, c); });
      add<T>(all, "div", 2, direction, suffix, [](T a, T b, T) { return a / b; });
      add<T>(all, "rcp", 1, direction, suffix, [](T a, T, T) { return 1 / a; });
      add<T>(all, "sqrt", 1, direction, suffix, [](T a, T, T) { return std::sqrt(a); });
    }
  }
}

template <typename T>
std::uint64_t extreme(T a, T b, bool maximum, bool propagates) {
  if (std::isnan(a) || std::isnan(b)) {
    const bool both = std::isnan(a) && std::isnan(b);
    if (propagates || both) return Type<T>::bits(a + b);
    return Type<T>::bits(std::isnan(a) ? b : a);
  }
  if (a == b) return Type<T>::bits(std::signbit(a) != maximum ? a : b);
  return Type<T>::bits((a < b) != maximum ? a : b);
}

template <typename T>
void add_extremes(std::vector<Operation>& all) {
  for (const bool maximum : {false, true}) {
    for (const bool propagates : {false, true}) {
      if (sizeof(T) == 8 && propagates) continue;
      all.push_back({fmt::format("{}{}.{} D, A, B;", maximum ? "max" : "min",
                                 propagates ? ".NaN" : "", Type<T>::kName),
                     Type<T>::kKind,
                     {Type<T>::kKind, Type<T>::kKind},
                     [=](const Operands& v) {
                       return extreme(Type<T>::number(v[0]), Type<T>::number(v[1]), maximum,
                                      propagates);
                     }});
    }
  }
}

}  // namespace

void add_float_operations(std::vector<Operation>& all) {
  add_arithmetic<float>(all);
  add_arithmetic<double>(all);
  add_extremes<float>(all);
  add_extremes<double>(all);
  constexpr std::uint64_t kSign = 0x80000000;
  // PTX leaves open which NaN a negated one is: the sum, with the zero that changes nothing else,
  // has one.
  all.push_back(
      {"neg.f32 D, A; add.f32 D, D, 0f80000000;", Kind::f32, {Kind::f32}, [](const Operands& v) {
         return bits_of_float(as_float(v[0] ^ kSign));
       }});
  all.push_back(
      {"abs.f32 D, A; add.f32 D, D, 0f80000000;", Kind::f32, {Kind::f32}, [](const Operands& v) {
         return bits_of_float(as_float(v[0] & ~kSign));
       }});
  all.push_back({"copysign.f32 D, A, B;", Kind::f32, {Kind::f32, Kind::f32}, [](const Operands& v) {
                   return (v[1] & ~kSign) | (v[0] & kSign);
                 }});
  all.push_back({"neg.f64 D, A;", Kind::f64, {Kind::f64}, [](const Operands& v) {
                   return v[0] ^ kSign << 32;
                 }});
  all.push_back({"abs.f64 D, A;", Kind::f64, {Kind::f64}, [](const Operands& v) {
                   return v[0] & ~(kSign << 32);
                 }});
}

}  // namespace emulator::testing::random
