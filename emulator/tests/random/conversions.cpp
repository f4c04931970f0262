// cvt between integers and floats.
#include <fmt/format.h>

#include "random/numbers.h"
#include "random/operations.h"

namespace emulator::testing::random {
namespace {

Kind kind_of_integer(unsigned bits) {
  if (bits == 64) return Kind::b64;
  return bits == 32 ? Kind::b32 : Kind::b16;
}
std::string integer_name(unsigned bits, bool is_signed) {
  return fmt::format("{}{}", is_signed ? 's' : 'u', bits);
}

// Whether there is nothing to clamp, so that PTX does not have .sat.
bool holds_all(unsigned from, bool from_signed, unsigned to, bool to_signed) {
  return lowest(to, to_signed) <= lowest(from, from_signed) &&
         highest(to, to_signed) >= highest(from, from_signed);
}

// A register is wider than an 8-bit number; the result is extended into it.
void between_integers(std::vector<Operation>& all, unsigned from, bool from_signed, unsigned to,
                      bool to_signed, bool saturates) {
  const Kind source = kind_of_integer(from);
  const Kind result = kind_of_integer(to);
  all.push_back({fmt::format("cvt{}.{}.{} D, A;", saturates ? ".sat" : "",
                             integer_name(to, to_signed), integer_name(from, from_signed)),
                 result,
                 {source},
                 [=](const Operands& v) {
                   Wide value = integer(v[0], from, from_signed);
                   if (saturates) value = clamped(value, to, to_signed);
                   // What is stored is the number as the destination's type reads it.
                   value = integer(static_cast<std::uint64_t>(value), to, to_signed);
                   return low_bits(static_cast<std::uint64_t>(value), bits_of(result));
                 }});
}

struct Whole {
  const char* word;
  int mode;
};
constexpr Whole kWholes[] = {
    {"rni", FE_TONEAREST}, {"rzi", FE_TOWARDZERO}, {"rmi", FE_DOWNWARD}, {"rpi", FE_UPWARD}};

double whole(double value, int mode) {
  const HostRounding rounding(mode);
  const volatile double hidden = value;
  return std::nearbyint(hidden);
}

// Out of range is clamped. NaN is 0, except where 64 bits are on either side: there it is the
// number whose highest bit alone is set.
std::uint64_t to_integer(double value, unsigned bits, bool is_signed, bool from_double) {
  if (std::isnan(value)) {
    return bits == 64 || from_double ? std::uint64_t{1} << (bits - 1) : 0;
  }
  const double beyond = std::ldexp(1, static_cast<int>(is_signed ? bits - 1 : bits));
  Wide number = 0;
  if (value >= beyond) {
    number = highest(bits, is_signed);
  } else if (value < (is_signed ? -beyond : 0.0)) {
    number = lowest(bits, is_signed);
  } else {
    number = static_cast<Wide>(value);
  }
  return low_bits(static_cast<std::uint64_t>(number), bits);
}

void between_integers_and_floats(std::vector<Operation>& all, unsigned bits, bool is_signed) {
  const Kind kind = kind_of_integer(bits);
  const std::string name = integer_name(bits, is_signed);
  for (const Whole& way : kWholes) {
    all.push_back({fmt::format("cvt.{}.{}.f32 D, A;", way.word, name),
                   kind,
                   {Kind::f32},
                   [=](const Operands& v) {
                     return to_integer(whole(as_float(v[0]), way.mode), bits, is_signed, false);
                   }});
    all.push_back({fmt::format("cvt.{}.{}.f64 D, A;", way.word, name),
                   kind,
                   {Kind::f64},
                   [=](const Operands& v) {
                     return to_integer(whole(as_double(v[0]), way.mode), bits, is_signed, true);
                   }});
  }
  for (const Direction& direction : kDirections) {
    // The host converts under its rounding mode.
    const auto converted = [=](std::uint64_t word, auto number) {
      using Number = decltype(number);
      const HostRounding rounding(direction.mode);
      const Wide value = integer(word, bits, is_signed);
      if (is_signed) {
        const volatile auto hidden = static_cast<std::int64_t>(value);
        const volatile auto result = static_cast<Number>(hidden);
        return Number{result};
      }
      const volatile auto hidden = static_cast<std::uint64_t>(value);
      // In two halves, both exact: not every host converts u64 in the mode that is set.
      const volatile auto upper = static_cast<double>(hidden >> 32) * 0x1p32;
      const volatile auto lower = static_cast<double>(hidden & 0xffffffffU);
      if constexpr (sizeof(Number) == 8) {
        const volatile double result = upper + lower;
        return Number{result};
      } else {
        const volatile long double exact = static_cast<long double>(upper) + lower;
        const volatile auto result = static_cast<Number>(exact);
        return Number{result};
      }
    };
    all.push_back({fmt::format("cvt.{}.f32.{} D, A;", direction.word, name),
                   Kind::f32,
                   {kind},
                   [=](const Operands& v) { return bits_of_float(converted(v[0], 0.0F)); }});
    all.push_back({fmt::format("cvt.{}.f64.{} D, A;", direction.word, name),
                   Kind::f64,
                   {kind},
                   [=](const Operands& v) { return bits_of_double(converted(v[0], 0.0)); }});
  }
}

void between_floats(std::vector<Operation>& all) {
  all.push_back({"cvt.f64.f32 D, A;", Kind::f64, {Kind::f32}, [](const Operands& v) {
                   return bits_of_double(as_float(v[0]));
                 }});
  for (const Direction& direction : kDirections) {
    // The NaN of a double may be any, and its payload is kept: the sum, with the zero that changes
    // nothing else, has one.
    all.push_back({fmt::format("cvt.{}.f32.f64 D, A; add.f32 D, D, 0f80000000;", direction.word),
                   Kind::f32,
                   {Kind::f64},
                   [=](const Operands& v) {
                     return bits_of_float(
                         static_cast<float>(rounded(as_double(v[0]), kF32, direction.mode)));
                   }});
  }
  for (const Whole& way : kWholes) {
    all.push_back({fmt::format("cvt.{}.f32.f32 D, A;", way.word),
                   Kind::f32,
                   {Kind::f32},
                   [=](const Operands& v) {
                     return bits_of_float(static_cast<float>(whole(as_float(v[0]), way.mode)));
                   }});
    all.push_back(
        {fmt::format("cvt.{}.f64.f64 D, A;", way.word),
         Kind::f64,
         {Kind::f64},
         [=](const Operands& v) { return bits_of_double(whole(as_double(v[0]), way.mode)); }});
  }
  all.push_back({"cvt.sat.f32.f32 D, A;", Kind::f32, {Kind::f32}, [](const Operands& v) {
                   return bits_of_float(saturated(as_float(v[0])));
                 }});
  for (const HalfType type : {HalfType::f16, HalfType::bf16}) {
    // PTX leaves open which NaN comes of a bf16.
    all.push_back(
        {fmt::format("cvt.f32.{} D, A; add.f32 D, D, 0f80000000;", name_of(type)),
         Kind::f32,
         {Kind::b16},
         [=](const Operands& v) { return bits_of_float(static_cast<float>(half(v[0], type))); }});
    for (const int way : {0, 1}) {
      const Direction& direction = kDirections[way];  // rn and rz
      all.push_back({fmt::format("cvt.{}.{}.f32 D, A;", direction.word, name_of(type)),
                     Kind::b16,
                     {Kind::f32},
                     [=](const Operands& v) {
                       return bits_of_half(rounded(as_float(v[0]), format_of(type), direction.mode),
                                           type);
                     }});
      all.push_back({fmt::format("cvt.{}.{}x2.f32 D, A, B;", direction.word, name_of(type)),
                     Kind::b32,
                     {Kind::f32, Kind::f32},
                     [=](const Operands& v) {
                       const auto part = [&](std::uint64_t bits) {
                         return bits_of_half(
                             rounded(as_float(bits), format_of(type), direction.mode), type);
                       };
                       return part(v[0]) << 16 | part(v[1]);
                     }});
    }
  }
}

}  // namespace

void add_conversions(std::vector<Operation>& all) {
  constexpr unsigned kWidths[] = {8, 16, 32, 64};
  for (const unsigned from : kWidths) {
    for (const unsigned to : kWidths) {
      for (const bool from_signed : {false, true}) {
        for (const bool to_signed : {false, true}) {
          if (from == to && from_signed == to_signed) continue;
          between_integers(all, from, from_signed, to, to_signed, false);
          if (holds_all(from, from_signed, to, to_signed)) continue;
          between_integers(all, from, from_signed, to, to_signed, true);
        }
      }
    }
  }
  for (const unsigned bits : {16U, 32U, 64U}) {
    between_integers_and_floats(all, bits, false);
    between_integers_and_floats(all, bits, true);
  }
  between_floats(all);
}

}  // namespace emulator::testing::random
