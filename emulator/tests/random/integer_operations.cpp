// Integer arithmetic.
#include <fmt/format.h>

#include <algorithm>

#include "random/numbers.h"
#include "random/operations.h"

namespace emulator::testing::random {
namespace {

struct IntegerType {
  unsigned bits;
  bool is_signed;
  [[nodiscard]] std::string name() const {
    return fmt::format("{}{}", is_signed ? 's' : 'u', bits);
  }
  [[nodiscard]] Kind kind() const {
    return bits == 16 ? Kind::b16 : (bits == 32 ? Kind::b32 : Kind::b64);
  }
  [[nodiscard]] Wide number(std::uint64_t value) const { return integer(value, bits, is_signed); }
};

using Two = Wide (*)(Wide a, Wide b);
using Three = Wide (*)(Wide a, Wide b, Wide c);

// The result is cut to the width of its kind.
void two(std::vector<Operation>& all, const std::string& word, IntegerType type, Kind result,
         Two compute) {
  all.push_back({word + "." + type.name() + " D, A, B;",
                 result,
                 {type.kind(), type.kind()},
                 [type, result, compute](const Operands& v) {
                   return low_bits(
                       static_cast<std::uint64_t>(compute(type.number(v[0]), type.number(v[1]))),
                       bits_of(result));
                 },
                 true});
}
void three(std::vector<Operation>& all, const std::string& word, IntegerType type, Kind last,
           Three compute) {
  all.push_back({word + "." + type.name() + " D, A, B, C;",
                 last,
                 {type.kind(), type.kind(), last},
                 [type, last, compute](const Operands& v) {
                   const Wide c = integer(v[2], bits_of(last), type.is_signed);
                   return low_bits(
                       static_cast<std::uint64_t>(compute(type.number(v[0]), type.number(v[1]), c)),
                       bits_of(last));
                 },
                 true});
}

// The lower 64 bits of a product, which two u64 have more of than a signed 128-bit number holds.
Wide lower_product(Wide a, Wide b) {
  const std::uint64_t low = static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
  return low;
}

// The upper half of a product. That of two u64 does not fit a signed 128-bit number, but wraps
// around only above the half that is asked for.
template <unsigned bits>
Wide upper(Wide a, Wide b) {
  __extension__ using Unsigned = unsigned __int128;
  return static_cast<Wide>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b)) >> bits;
}

template <unsigned bits>
void add_width(std::vector<Operation>& all, bool is_signed) {
  const IntegerType type{bits, is_signed};
  const Kind same = type.kind();
  two(all, "add", type, same, [](Wide a, Wide b) { return a + b; });
  two(all, "sub", type, same, [](Wide a, Wide b) { return a - b; });
  two(all, "mul.lo", type, same, lower_product);
  two(all, "min", type, same, [](Wide a, Wide b) { return std::min(a, b); });
  two(all, "max", type, same, [](Wide a, Wide b) { return std::max(a, b); });
  two(all, "div", type, same, [](Wide a, Wide b) { return b == 0 ? Wide{-1} : a / b; });
  two(all, "rem", type, same, [](Wide a, Wide b) { return b == 0 ? Wide{-1} : a % b; });
  three(all, "mad.lo", type, same, [](Wide a, Wide b, Wide c) { return lower_product(a, b) + c; });
  three(all, "sad", type, same, [](Wide a, Wide b, Wide c) { return c + (a < b ? b - a : a - b); });
  two(all, "mul.hi", type, same, [](Wide a, Wide b) { return upper<bits>(a, b); });
  three(all, "mad.hi", type, same, [](Wide a, Wide b, Wide c) { return upper<bits>(a, b) + c; });
  if (bits < 64) {
    const Kind wide = bits == 16 ? Kind::b32 : Kind::b64;
    two(all, "mul.wide", type, wide, [](Wide a, Wide b) { return a * b; });
    three(all, "mad.wide", type, wide, [](Wide a, Wide b, Wide c) { return a * b + c; });
  }
  if (is_signed) {
    for (const bool negates : {true, false}) {
      all.push_back({fmt::format("{}.{} D, A;", negates ? "neg" : "abs", type.name()),
                     same,
                     {same},
                     [type, negates](const Operands& v) {
                       const Wide a = type.number(v[0]);
                       const Wide result = negates || a < 0 ? -a : a;
                       return low_bits(static_cast<std::uint64_t>(result), type.bits);
                     }});
    }
  }
}

Wide low_24(Wide value, bool is_signed) {
  return integer(static_cast<std::uint64_t>(value), 24, is_signed);
}

// Elements of 8 or 16 bits of a word.
Wide element(std::uint64_t word, unsigned index, unsigned bits, bool is_signed) {
  return integer(word >> (index * bits), bits, is_signed);
}

void add_dot_products(std::vector<Operation>& all) {
  for (const bool a_signed : {false, true}) {
    for (const bool b_signed : {false, true}) {
      const std::string types =
          fmt::format("{}32.{}32", a_signed ? 's' : 'u', b_signed ? 's' : 'u');
      all.push_back({"dp4a." + types + " D, A, B, C;",
                     Kind::b32,
                     {Kind::b32, Kind::b32, Kind::b32},
                     [=](const Operands& v) {
                       Wide sum = static_cast<Wide>(v[2]);
                       for (unsigned i = 0; i < 4; ++i) {
                         sum += element(v[0], i, 8, a_signed) * element(v[1], i, 8, b_signed);
                       }
                       return low_bits(static_cast<std::uint64_t>(sum), 32);
                     }});
      for (const bool high : {false, true}) {
        all.push_back({fmt::format("dp2a.{}.{} D, A, B, C;", high ? "hi" : "lo", types),
                       Kind::b32,
                       {Kind::b32, Kind::b32, Kind::b32},
                       [=](const Operands& v) {
                         Wide sum = static_cast<Wide>(v[2]);
                         for (unsigned i = 0; i < 2; ++i) {
                           sum += element(v[0], i, 16, a_signed) *
                                  element(v[1], i + (high ? 2 : 0), 8, b_signed);
                         }
                         return low_bits(static_cast<std::uint64_t>(sum), 32);
                       }});
      }
    }
  }
}

void add_pairs(std::vector<Operation>& all) {
  struct Pair {
    const char* text;
    bool is_signed;
    Two compute;
  };
  static constexpr Pair kPairs[] = {
      {"add.u16x2 D, A, B;", false, [](Wide a, Wide b) { return a + b; }},
      {"min.s16x2 D, A, B;", true, [](Wide a, Wide b) { return std::min(a, b); }},
      {"max.u16x2 D, A, B;", false, [](Wide a, Wide b) { return std::max(a, b); }},
      {"max.s16x2.relu D, A, B;", true, [](Wide a, Wide b) { return std::max({a, b, Wide{0}}); }},
  };
  for (const Pair& pair : kPairs) {
    all.push_back({pair.text, Kind::b32, {Kind::b32, Kind::b32}, [&pair](const Operands& v) {
                     std::uint64_t word = 0;
                     for (unsigned i = 0; i < 2; ++i) {
                       const Wide value = pair.compute(element(v[0], i, 16, pair.is_signed),
                                                       element(v[1], i, 16, pair.is_signed));
                       word |= low_bits(static_cast<std::uint64_t>(value), 16) << (16 * i);
                     }
                     return word;
                   }});
  }
}

}  // namespace

void add_integer_operations(std::vector<Operation>& all) {
  add_width<16>(all, false);
  add_width<16>(all, true);
  add_width<32>(all, false);
  add_width<32>(all, true);
  add_width<64>(all, false);
  add_width<64>(all, true);
  const IntegerType s32{32, true};
  two(all, "add.sat", s32, Kind::b32, [](Wide a, Wide b) { return clamped(a + b, 32, true); });
  two(all, "sub.sat", s32, Kind::b32, [](Wide a, Wide b) { return clamped(a - b, 32, true); });
  three(all, "mad.hi.sat", s32, Kind::b32,
        [](Wide a, Wide b, Wide c) { return clamped(upper<32>(a, b) + c, 32, true); });
  for (const bool is_signed : {false, true}) {
    const IntegerType type{32, is_signed};
    two(all, "mul24.lo", type, Kind::b32,
        is_signed ? Two{[](Wide a, Wide b) { return low_24(a, true) * low_24(b, true); }}
                  : Two{[](Wide a, Wide b) { return low_24(a, false) * low_24(b, false); }});
    two(all, "mul24.hi", type, Kind::b32,
        is_signed ? Two{[](Wide a, Wide b) { return low_24(a, true) * low_24(b, true) >> 16; }}
                  : Two{[](Wide a, Wide b) { return low_24(a, false) * low_24(b, false) >> 16; }});
    three(all, "mad24.lo", type, Kind::b32,
          is_signed
              ? Three{[](Wide a, Wide b, Wide c) { return low_24(a, true) * low_24(b, true) + c; }}
              : Three{[](Wide a, Wide b, Wide c) {
                  return low_24(a, false) * low_24(b, false) + c;
                }});
  }
  // A sum of 96 bits, of which the upper half and its carry are seen.
  all.push_back({"add.cc.u32 T, A, B; addc.cc.u32 T, B, C; addc.u32 D, C, A;",
                 Kind::b32,
                 {Kind::b32, Kind::b32, Kind::b32},
                 [](const Operands& v) {
                   const std::uint64_t first = v[0] + v[1];
                   const std::uint64_t second = v[1] + v[2] + (first >> 32);
                   return low_bits(v[2] + v[0] + (second >> 32), 32);
                 }});
  all.push_back({"sub.cc.u64 V, A, B; subc.u64 D, B, A;",
                 Kind::b64,
                 {Kind::b64, Kind::b64},
                 [](const Operands& v) { return v[1] - v[0] - (v[0] < v[1] ? 1 : 0); }});
  add_dot_products(all);
  add_pairs(all);
}

}  // namespace emulator::testing::random
