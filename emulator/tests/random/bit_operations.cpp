// Bits, and moves between registers of different widths.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "random/numbers.h"
#include "random/operations.h"

namespace emulator::testing::random {
namespace {

constexpr Kind kWords[] = {Kind::b16, Kind::b32, Kind::b64};

void add_logic(std::vector<Operation>& all, Kind kind) {
  const std::string type = kind == Kind::pred ? "pred" : fmt::format("b{}", bits_of(kind));
  const unsigned bits = bits_of(kind);
  const bool number = kind != Kind::pred;
  all.push_back({"and." + type + " D, A, B;",
                 kind,
                 {kind, kind},
                 [](const Operands& v) { return v[0] & v[1]; },
                 number});
  all.push_back({"or." + type + " D, A, B;",
                 kind,
                 {kind, kind},
                 [](const Operands& v) { return v[0] | v[1]; },
                 number});
  all.push_back({"xor." + type + " D, A, B;",
                 kind,
                 {kind, kind},
                 [](const Operands& v) { return v[0] ^ v[1]; },
                 number});
  all.push_back({"not." + type + " D, A;", kind, {kind}, [bits](const Operands& v) {
                   return low_bits(~v[0], bits);
                 }});
}

void add_shifts(std::vector<Operation>& all, Kind kind) {
  const unsigned bits = bits_of(kind);
  all.push_back(
      {fmt::format("shl.b{} D, A, B;", bits),
       kind,
       {kind, Kind::b32},
       [bits](const Operands& v) { return v[1] >= bits ? 0 : low_bits(v[0] << v[1], bits); },
       true});
  all.push_back({fmt::format("shr.u{} D, A, B;", bits),
                 kind,
                 {kind, Kind::b32},
                 [bits](const Operands& v) { return v[1] >= bits ? 0 : v[0] >> v[1]; },
                 true});
  all.push_back({fmt::format("shr.s{} D, A, B;", bits),
                 kind,
                 {kind, Kind::b32},
                 [bits](const Operands& v) {
                   const auto amount = static_cast<unsigned>(std::min<std::uint64_t>(v[1], bits));
                   return low_bits(static_cast<std::uint64_t>(integer(v[0], bits, true) >> amount),
                                   bits);
                 },
                 true});
  // A small amount, which random words hardly ever are.
  all.push_back({fmt::format("and.b32 T, B, 31; shl.b{} D, A, T;", bits),
                 kind,
                 {kind, Kind::b32},
                 [bits](const Operands& v) {
                   const std::uint64_t amount = v[1] & 31U;
                   return amount >= bits ? 0 : low_bits(v[0] << amount, bits);
                 }});
}

// 32 bits of A above B, moved to the left by the amount or to the right.
std::uint64_t funnel(std::uint64_t low, std::uint64_t high, std::uint64_t amount, bool left) {
  const std::uint64_t both = high << 32 | low;
  return low_bits(left ? (both << amount) >> 32 : both >> amount, 32);
}

void add_funnel_shifts(std::vector<Operation>& all) {
  for (const bool left : {true, false}) {
    for (const bool wraps : {true, false}) {
      all.push_back(
          {fmt::format("shf.{}.{}.b32 D, A, B, C;", left ? 'l' : 'r', wraps ? "wrap" : "clamp"),
           Kind::b32,
           {Kind::b32, Kind::b32, Kind::b32},
           [=](const Operands& v) {
             const std::uint64_t amount = wraps ? v[2] & 31U : std::min<std::uint64_t>(v[2], 32);
             return funnel(v[0], v[1], amount, left);
           },
           true});
    }
  }
}

std::uint64_t reversed(std::uint64_t value, unsigned bits) {
  std::uint64_t result = 0;
  for (unsigned i = 0; i < bits; ++i) result |= ((value >> i) & 1U) << (bits - 1 - i);
  return result;
}

// The highest bit that differs from the sign, or that is set; -1: none.
int highest_bit(std::uint64_t value, unsigned bits, bool is_signed) {
  if (is_signed && (value >> (bits - 1)) != 0) value = low_bits(~value, bits);
  return 63 - std::countl_zero(value);
}

std::uint64_t extracted(std::uint64_t value, std::uint64_t position, std::uint64_t length,
                        unsigned bits, bool is_signed) {
  position &= 0xffU;
  length &= 0xffU;
  // A bit behind the end, and behind the field, is the sign of what is there.
  const std::uint64_t last = std::min<std::uint64_t>(position + length, bits);
  const std::uint64_t sign_at =
      length == 0 ? 64 : std::min<std::uint64_t>(position + length - 1, bits - 1);
  const bool sign = is_signed && length != 0 && ((value >> sign_at) & 1U) != 0;
  std::uint64_t result = 0;
  for (unsigned i = 0; i < bits; ++i) {
    const bool inside = i < length && position + i < last;
    const bool bit = inside ? ((value >> (position + i)) & 1U) != 0 : sign;
    result |= std::uint64_t{bit} << i;
  }
  return result;
}

void add_fields(std::vector<Operation>& all, Kind kind) {
  const unsigned bits = bits_of(kind);
  all.push_back({fmt::format("popc.b{} D, A;", bits), Kind::b32, {kind}, [](const Operands& v) {
                   return static_cast<std::uint64_t>(std::popcount(v[0]));
                 }});
  all.push_back({fmt::format("clz.b{} D, A;", bits), Kind::b32, {kind}, [bits](const Operands& v) {
                   return static_cast<std::uint64_t>(std::countl_zero(v[0])) - (64 - bits);
                 }});
  all.push_back({fmt::format("brev.b{} D, A;", bits), kind, {kind}, [bits](const Operands& v) {
                   return reversed(v[0], bits);
                 }});
  for (const bool is_signed : {false, true}) {
    const char letter = is_signed ? 's' : 'u';
    all.push_back(
        {fmt::format("bfind.{}{} D, A;", letter, bits), Kind::b32, {kind}, [=](const Operands& v) {
           return low_bits(static_cast<std::uint64_t>(highest_bit(v[0], bits, is_signed)), 32);
         }});
    all.push_back({fmt::format("bfind.shiftamt.{}{} D, A;", letter, bits),
                   Kind::b32,
                   {kind},
                   [=](const Operands& v) {
                     const int bit = highest_bit(v[0], bits, is_signed);
                     return bit < 0 ? 0xffffffffU : bits - 1 - static_cast<unsigned>(bit);
                   }});
    // Places and lengths within the word and a little beyond it.
    all.push_back({fmt::format("and.b32 T, B, 71; bfe.{}{} D, A, T, T;", letter, bits),
                   kind,
                   {kind, Kind::b32},
                   [=](const Operands& v) {
                     return extracted(v[0], v[1] & 71U, v[1] & 71U, bits, is_signed);
                   }});
    all.push_back(
        {fmt::format("and.b32 T, B, 31; bfe.{}{} D, A, T, 7;", letter, bits),
         kind,
         {kind, Kind::b32},
         [=](const Operands& v) { return extracted(v[0], v[1] & 31U, 7, bits, is_signed); }});
  }
  all.push_back({fmt::format("and.b32 T, C, 71; bfi.b{} D, A, B, T, 9;", bits),
                 kind,
                 {kind, kind, Kind::b32},
                 [=](const Operands& v) {
                   const std::uint64_t at = v[2] & 71U;
                   std::uint64_t result = v[1];
                   for (unsigned i = 0; i < 9 && at + i < bits; ++i) {
                     result &= ~(std::uint64_t{1} << (at + i));
                     result |= ((v[0] >> i) & 1U) << (at + i);
                   }
                   return result;
                 }});
}

void add_tables(std::vector<Operation>& all) {
  for (const unsigned table : {0x96U, 0xe8U, 0xcaU, 0x1bU, 0x80U}) {
    all.push_back({fmt::format("lop3.b32 D, A, B, C, {};", table),
                   Kind::b32,
                   {Kind::b32, Kind::b32, Kind::b32},
                   [=](const Operands& v) {
                     std::uint64_t word = 0;
                     for (unsigned i = 0; i < 32; ++i) {
                       const auto index =
                           ((v[0] >> i) & 1U) << 2 | ((v[1] >> i) & 1U) << 1 | ((v[2] >> i) & 1U);
                       word |= std::uint64_t{(table >> index) & 1U} << i;
                     }
                     return word;
                   }});
  }
  all.push_back({"prmt.b32 D, A, B, C;",
                 Kind::b32,
                 {Kind::b32, Kind::b32, Kind::b32},
                 [](const Operands& v) {
                   const std::uint64_t both = v[1] << 32 | v[0];
                   std::uint64_t word = 0;
                   for (unsigned i = 0; i < 4; ++i) {
                     const std::uint64_t pick = v[2] >> (4 * i);
                     const std::uint64_t byte = (both >> (8 * (pick & 7U))) & 0xffU;
                     const bool copies_sign = (pick & 8U) != 0;
                     word |= (copies_sign ? (byte >> 7) * 0xff : byte) << (8 * i);
                   }
                   return word;
                 },
                 true});
}

void add_moves(std::vector<Operation>& all) {
  all.push_back({"mov.b32 D, {A, B};", Kind::b32, {Kind::b16, Kind::b16}, [](const Operands& v) {
                   return v[1] << 16 | v[0];
                 }});
  all.push_back({"mov.b64 D, {A, B};", Kind::b64, {Kind::b32, Kind::b32}, [](const Operands& v) {
                   return v[1] << 32 | v[0];
                 }});
  all.push_back(
      {"mov.b64 {T, D}, A;", Kind::b32, {Kind::b64}, [](const Operands& v) { return v[0] >> 32; }});
  all.push_back({"mov.b32 {D, U}, A;", Kind::b16, {Kind::b32}, [](const Operands& v) {
                   return low_bits(v[0], 16);
                 }});
  all.push_back({"mov.b32 D, A;", Kind::b32, {Kind::f32}, [](const Operands& v) { return v[0]; }});
  all.push_back({"mov.b32 D, A;", Kind::f32, {Kind::b32}, [](const Operands& v) { return v[0]; }});
  all.push_back({"mov.b64 D, A;", Kind::f64, {Kind::b64}, [](const Operands& v) { return v[0]; }});
  all.push_back({fmt::format(fmt::runtime(kBitsOfDouble), fmt::arg("from", "A"),
                             fmt::arg("to", "D"), fmt::arg("t", "T"), fmt::arg("w", "W")),
                 Kind::b64,
                 {Kind::f64},
                 [](const Operands& v) { return bits_of_double(as_double(v[0])); }});
  all.push_back({"mov.f32 D, A;", Kind::f32, {Kind::f32}, [](const Operands& v) { return v[0]; }});
}

}  // namespace

void add_bit_operations(std::vector<Operation>& all) {
  add_logic(all, Kind::pred);
  for (const Kind kind : kWords) {
    add_logic(all, kind);
    add_shifts(all, kind);
  }
  add_funnel_shifts(all);
  add_fields(all, Kind::b32);
  add_fields(all, Kind::b64);
  add_tables(all);
  add_moves(all);
}

}  // namespace emulator::testing::random
