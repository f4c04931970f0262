// Bit fields, permutations, wide and carried integer arithmetic: 32 and 64 bits, against loops over
// single bits or wider integers.
#include <gtest/gtest.h>

#include <algorithm>

#include "triples.h"

namespace emulator::testing {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

std::vector<std::uint64_t> edges() {
  return {0,
          1,
          2,
          5,
          31,
          32,
          33,
          63,
          64,
          65,
          255,
          256,
          0x105,
          0x7fff,
          0x8000,
          0xffff,
          0x00800000,
          0x7fffffff,
          0x80000000,
          0x80000001,
          0xffffffff,
          0xfffffff0,
          0x100000000,
          0x0123456789abcdef,
          0x7fffffffffffffff,
          0x8000000000000000,
          0x8000000000000001,
          0xffffffffffffffff,
          0xffffffff00000000,
          0x80808080,
          0x00ff00ff00ff00ff,
          0xfffffffe};
}

std::uint32_t w(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::int32_t s(std::uint64_t x) { return static_cast<std::int32_t>(x); }
std::int64_t s64(std::uint64_t x) { return static_cast<std::int64_t>(x); }

std::uint64_t extract(std::uint64_t a, std::uint64_t position, std::uint64_t length, unsigned bits,
                      bool is_signed) {
  position &= 255;
  length &= 255;
  const std::uint64_t last = std::min<std::uint64_t>(position + length - 1, bits - 1);
  const bool sign = is_signed && length != 0 && ((a >> last) & 1U) != 0;
  std::uint64_t result = 0;
  for (std::uint64_t i = 0; i < bits; ++i) {
    const bool inside = i < length && position + i < bits;
    const bool bit = inside ? ((a >> (position + i)) & 1U) != 0 : sign;
    result |= std::uint64_t{bit} << i;
  }
  return result;
}
std::uint64_t insert(std::uint64_t a, std::uint64_t b, std::uint64_t position, std::uint64_t length,
                     unsigned bits) {
  position &= 255;
  length &= 255;
  for (std::uint64_t i = 0; i < length && position + i < bits; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << (position + i);
    b = ((a >> i) & 1U) != 0 ? b | bit : b & ~bit;
  }
  return b;
}
std::uint64_t nth_set(std::uint64_t mask, std::uint32_t base, std::int32_t n) {
  if (n == 0) return base < 32 && ((mask >> base) & 1U) != 0 ? base : 0xffffffff;
  std::int64_t left = std::abs(std::int64_t{n}) - 1;
  for (std::int64_t p = base; p >= 0 && p < 32; p += n > 0 ? 1 : -1) {
    if (((mask >> p) & 1U) == 0) continue;
    if (left-- == 0) return static_cast<std::uint64_t>(p);
  }
  return 0xffffffff;
}
// The PTX ISA's tables of prmt's modes, selectors 0 to 3, byte 3 first.
std::uint64_t permuted(std::uint64_t a, std::uint64_t b, std::uint32_t picks) {
  const std::uint64_t bytes = std::uint64_t{w(b)} << 32 | w(a);
  std::uint64_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    result = result << 8 | ((bytes >> (8 * ((picks >> (12 - 4 * i)) & 7U))) & 255U);
  }
  return result;
}
std::uint32_t clamped24(std::uint64_t x) { return w(x) & 0xffffffU; }
std::int64_t signed24(std::uint64_t x) { return s(w(x) << 8) >> 8; }
std::uint32_t saturated(Wide x) {
  return static_cast<std::uint32_t>(std::clamp<Wide>(x, INT32_MIN, INT32_MAX));
}

struct Case {
  const char* name;
  const char* body;  // 32-bit results in %r20 unless it writes %rd20
  std::uint64_t (*expected)(std::uint64_t a, std::uint64_t b, std::uint64_t c);
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Bits : public ::testing::TestWithParam<Case> {};

TEST_P(Bits, EqualTheLoop) {
  const std::vector<Triple> operands = triples(edges(), 64);
  std::string body = GetParam().body;
  if (body.find("%rd20") == std::string::npos) body += " cvt.u64.u32 %rd20, %r20;";
  const auto got = run_on(body, operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto [a, b, c] = operands[i];
    ASSERT_EQ(got[i], GetParam().expected(a, b, c)) << std::hex << a << ", " << b << ", " << c;
  }
}

const Case
    kCases
        [] =
            {
                {"bfe_u32", "bfe.u32 %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) { return extract(w(a), b, c, 32, false); }},
                {"bfe_s32", "bfe.s32 %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) { return extract(w(a), b, c, 32, true); }},
                // Of 64 bits, places beyond 255 are outside what PTX defines.
                {"bfe_u64",
                 "and.b32 %r1, %r11, 255; and.b32 %r2, %r12, 255; bfe.u64 %rd20, %rd10, %r1, %r2;",
                 [](auto a, auto b, auto c) { return extract(a, b, c, 64, false); }},
                {"bfe_s64",
                 "and.b32 %r1, %r11, 255; and.b32 %r2, %r12, 255; bfe.s64 %rd20, %rd10, %r1, %r2;",
                 [](auto a, auto b, auto c) { return extract(a, b, c, 64, true); }},
                {"bfi_b32", "bfi.b32 %r20, %r10, %r11, %r12, %r11;",
                 [](auto a, auto b, auto c) { return insert(w(a), w(b), c, b, 32); }},
                {"bfi_b64",
                 "and.b32 %r1, %r11, 255; and.b32 %r2, %r12, 255; "
                 "bfi.b64 %rd20, %rd10, %rd11, %r2, %r1;",
                 [](auto a, auto b, auto c) { return insert(a, b, c, b, 64); }},
                {"bmsk_clamp", "bmsk.clamp.b32 %r20, %r10, %r11;",
                 [](auto a, auto b, auto) {
                   return insert(~0ULL, 0, std::min<std::uint64_t>(w(a), 32),
                                 std::min<std::uint64_t>(w(b), 32), 32);
                 }},
                {"bmsk_wrap", "bmsk.wrap.b32 %r20, %r10, %r11;",
                 [](auto a, auto b, auto) { return insert(~0ULL, 0, a & 31U, b & 31U, 32); }},
                {"szext_clamp_s", "szext.clamp.s32 %r20, %r10, %r11;",
                 [](auto a, auto b, auto) {
                   return w(b) > 31 ? std::uint64_t{w(a)} : extract(w(a), 0, w(b), 32, true);
                 }},
                {"szext_clamp_u", "szext.clamp.u32 %r20, %r10, %r11;",
                 [](auto a, auto b, auto) {
                   return w(b) > 31 ? std::uint64_t{w(a)} : extract(w(a), 0, w(b), 32, false);
                 }},
                {"szext_wrap_s", "szext.wrap.s32 %r20, %r10, %r11;",
                 [](auto a, auto b, auto) { return extract(w(a), 0, b & 31U, 32, true); }},
                {"fns",
                 "and.b32 %r1, %r11, 31; shr.s32 %r2, %r12, 4; fns.b32 %r20, %r10, %r1, "
                 "%r2;",
                 [](auto a, auto b, auto c) { return nth_set(w(a), b & 31U, s(w(c)) >> 4); }},
                {"fns_near",
                 "and.b32 %r1, %r11, 31; bfe.s32 %r2, %r12, 0, 5; fns.b32 %r20, %r10, %r1, %r2;",
                 [](auto a, auto b, auto c) {
                   return nth_set(w(a), b & 31U, s(w(c) << 27) >> 27);
                 }},
                {"bfind_shiftamt_u", "bfind.shiftamt.u32 %r20, %r10;",
                 [](auto a, auto, auto) -> std::uint64_t {
                   return w(a) == 0 ? 0xffffffffU
                                    : static_cast<std::uint32_t>(std::countl_zero(w(a)));
                 }},
                {"bfind_s64", "bfind.s64 %r20, %rd10;",
                 [](auto a, auto, auto) -> std::uint64_t {
                   const std::uint64_t x = s64(a) < 0 ? ~a : a;
                   return x == 0 ? 0xffffffffU
                                 : 63U - static_cast<std::uint32_t>(std::countl_zero(x));
                 }},
                {"brev_b64", "brev.b64 %rd20, %rd10;",
                 [](auto a, auto, auto) {
                   std::uint64_t r = 0;
                   for (int i = 0; i < 64; ++i) r |= ((a >> i) & 1U) << (63 - i);
                   return r;
                 }},
                {"popc_b64", "popc.b64 %r20, %rd10;",
                 [](auto a, auto, auto) { return static_cast<std::uint64_t>(std::popcount(a)); }},
                {"clz_b64", "clz.b64 %r20, %rd10;",
                 [](auto a, auto, auto) {
                   return static_cast<std::uint64_t>(std::countl_zero(a));
                 }},
                {"shl_b64", "shl.b64 %rd20, %rd10, %r11;",
                 [](auto a, auto b, auto) { return w(b) > 63 ? 0 : a << w(b); }},
                {"shr_s64", "shr.s64 %rd20, %rd10, %r11;",
                 [](auto a, auto b, auto) {
                   return static_cast<std::uint64_t>(s64(a) >> std::min(w(b), 63U));
                 }},
                {"shr_s16", "shr.s16 %h1, %h10, %r11; cvt.u64.u16 %rd20, %h1;",
                 [](auto a, auto b, auto) -> std::uint64_t {
                   return static_cast<std::uint16_t>(static_cast<std::int16_t>(a) >>
                                                     std::min(w(b), 15U));
                 }},
                {"shf_l_clamp", "shf.l.clamp.b32 %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) -> std::uint64_t {
                   const UnsignedWide both = UnsignedWide{w(b)} << 32 | w(a);
                   return w(static_cast<std::uint64_t>((both << std::min(w(c), 32U)) >> 32));
                 }},
                {"shf_l_wrap", "shf.l.wrap.b32 %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) -> std::uint64_t {
                   return w(((std::uint64_t{w(b)} << 32 | w(a)) << (c & 31U)) >> 32);
                 }},
                {"shf_r_wrap", "shf.r.wrap.b32 %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) -> std::uint64_t {
                   return w((std::uint64_t{w(b)} << 32 | w(a)) >> (c & 31U));
                 }},
                {"prmt", "prmt.b32 %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) -> std::uint64_t {
                   std::uint64_t result = 0;
                   for (unsigned i = 0; i < 4; ++i) {
                     const auto pick = static_cast<unsigned>(c >> (4 * i)) & 15U;
                     const auto byte = static_cast<std::uint8_t>(
                         (pick & 4U) != 0 ? w(b) >> (8 * (pick & 3U)) : w(a) >> (8 * (pick & 3U)));
                     const auto sign = static_cast<std::uint8_t>((byte & 0x80U) != 0 ? 255 : 0);
                     result |= std::uint64_t{(pick & 8U) != 0 ? sign : byte} << (8 * i);
                   }
                   return result;
                 }},
                {"prmt_f4e", "prmt.b32.f4e %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) {
                   constexpr std::uint32_t kPicks[] = {0x3210, 0x4321, 0x5432, 0x6543};
                   return permuted(a, b, kPicks[c & 3U]);
                 }},
                {"prmt_b4e", "prmt.b32.b4e %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) {
                   constexpr std::uint32_t kPicks[] = {0x5670, 0x6701, 0x7012, 0x0123};
                   return permuted(a, b, kPicks[c & 3U]);
                 }},
                {"prmt_rc8", "prmt.b32.rc8 %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) {
                   constexpr std::uint32_t kPicks[] = {0x0000, 0x1111, 0x2222, 0x3333};
                   return permuted(a, b, kPicks[c & 3U]);
                 }},
                {"prmt_ecl", "prmt.b32.ecl %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) {
                   constexpr std::uint32_t kPicks[] = {0x3210, 0x3211, 0x3222, 0x3333};
                   return permuted(a, b, kPicks[c & 3U]);
                 }},
                {"prmt_ecr", "prmt.b32.ecr %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) {
                   constexpr std::uint32_t kPicks[] = {0x0000, 0x1110, 0x2210, 0x3210};
                   return permuted(a, b, kPicks[c & 3U]);
                 }},
                {"prmt_rc16", "prmt.b32.rc16 %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) {
                   constexpr std::uint32_t kPicks[] = {0x1010, 0x3232, 0x1010, 0x3232};
                   return permuted(a, b, kPicks[c & 3U]);
                 }},
                {"lop3_majority", "lop3.b32 %r20, %r10, %r11, %r12, 0xe8;",
                 [](auto a, auto b, auto c) -> std::uint64_t {
                   return w((a & b) | (a & c) | (b & c));
                 }},
                {"lop3_predicate",
                 "setp.eq.u32 %p2, %r11, 5; lop3.or.b32 %r1|%p1, %r10, %r11, %r12, 0x80, %p2; "
                 "selp.u32 %r20, 1, "
                 "0, %p1;",
                 [](auto a, auto b, auto c) -> std::uint64_t {
                   return w(a & b & c) != 0 || w(b) == 5 ? 1 : 0;
                 }},
                {"mul_hi_u64", "mul.hi.u64 %rd20, %rd10, %rd11;",
                 [](auto a, auto b, auto) {
                   return static_cast<std::uint64_t>((UnsignedWide{a} * b) >> 64);
                 }},
                {"mul_hi_s64", "mul.hi.s64 %rd20, %rd10, %rd11;",
                 [](auto a, auto b, auto) {
                   return static_cast<std::uint64_t>((Wide{s64(a)} * s64(b)) >> 64);
                 }},
                {"mul_wide_u32", "mul.wide.u32 %rd20, %r10, %r11;",
                 [](auto a, auto b, auto) { return std::uint64_t{w(a)} * w(b); }},
                {"mul_wide_s16", "mul.wide.s16 %r20, %h10, %h11;",
                 [](auto a, auto b, auto) -> std::uint64_t {
                   return static_cast<std::uint32_t>(static_cast<std::int16_t>(a) *
                                                     static_cast<std::int16_t>(b));
                 }},
                {"mad_wide_s32", "mad.wide.s32 %rd20, %r10, %r11, %rd12;",
                 [](auto a, auto b, auto c) {
                   return static_cast<std::uint64_t>(std::int64_t{s(a)} * s(b)) + c;
                 }},
                {"mad_hi_u32", "mad.hi.u32 %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) -> std::uint64_t {
                   return w(((std::uint64_t{w(a)} * w(b)) >> 32) + c);
                 }},
                {"mad_hi_s64", "mad.hi.s64 %rd20, %rd10, %rd11, %rd12;",
                 [](auto a, auto b, auto c) {
                   return static_cast<std::uint64_t>((Wide{s64(a)} * s64(b)) >> 64) + c;
                 }},
                {"mad_hi_sat", "mad.hi.sat.s32 %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) -> std::uint64_t {
                   return saturated(((std::int64_t{s(a)} * s(b)) >> 32) + Wide{s(c)});
                 }},
                {"mul24_lo_u", "mul24.lo.u32 %r20, %r10, %r11;",
                 [](auto a, auto b, auto) -> std::uint64_t {
                   return w(std::uint64_t{clamped24(a)} * clamped24(b));
                 }},
                {"mul24_hi_s", "mul24.hi.s32 %r20, %r10, %r11;",
                 [](auto a, auto b, auto) -> std::uint64_t {
                   return w(static_cast<std::uint64_t>((signed24(a) * signed24(b)) >> 16));
                 }},
                {"mad24_lo_s", "mad24.lo.s32 %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) -> std::uint64_t {
                   return w(static_cast<std::uint64_t>(signed24(a) * signed24(b)) + c);
                 }},
                {"mad24_hi_sat", "mad24.hi.sat.s32 %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) -> std::uint64_t {
                   return saturated(
                       Wide{s(static_cast<std::uint64_t>((signed24(a) * signed24(b)) >> 16))} +
                       s(c));
                 }},
                {"sub_sat", "sub.sat.s32 %r20, %r10, %r11;",
                 [](auto a, auto b, auto) -> std::uint64_t {
                   return saturated(Wide{s(a)} - s(b));
                 }},
                {"sad_s64", "sad.s64 %rd20, %rd10, %rd11, %rd12;",
                 [](auto a, auto b, auto c) { return (s64(a) < s64(b) ? b - a : a - b) + c; }},
                {"sad_u16", "sad.u16 %h1, %h10, %h11, %h12; cvt.u64.u16 %rd20, %h1;",
                 [](auto a, auto b, auto c) -> std::uint64_t {
                   const int difference =
                       static_cast<std::uint16_t>(a) - static_cast<std::uint16_t>(b);
                   return static_cast<std::uint16_t>(std::abs(difference) +
                                                     static_cast<int>(c & 0xffffU));
                 }},
                {"dp4a_u_s", "dp4a.u32.s32 %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) -> std::uint64_t {
                   std::int64_t sum = s(c);
                   for (int i = 0; i < 4; ++i) {
                     sum += std::int64_t{static_cast<std::uint8_t>(a >> (8 * i))} *
                            static_cast<std::int8_t>(b >> (8 * i));
                   }
                   return w(static_cast<std::uint64_t>(sum));
                 }},
                {"dp2a_lo", "dp2a.lo.s32.u32 %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) -> std::uint64_t {
                   std::int64_t sum = s(c);
                   for (int i = 0; i < 2; ++i) {
                     sum += std::int64_t{static_cast<std::int16_t>(a >> (16 * i))} *
                            static_cast<std::uint8_t>(b >> (8 * i));
                   }
                   return w(static_cast<std::uint64_t>(sum));
                 }},
                {"dp2a_hi", "dp2a.hi.u32.s32 %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) -> std::uint64_t {
                   std::int64_t sum = s(c);
                   for (int i = 0; i < 2; ++i) {
                     sum += std::int64_t{static_cast<std::uint16_t>(a >> (16 * i))} *
                            static_cast<std::int8_t>(b >> (8 * (2 + i)));
                   }
                   return w(static_cast<std::uint64_t>(sum));
                 }},
                {"carry_chain_add",
                 "mov.b64 {%r1, %r2}, %rd10; mov.b64 {%r3, %r4}, %rd11; add.cc.u32 %r5, %r1, %r3;"
                 "addc.u32 %r6, %r2, %r4; mov.b64 %rd20, {%r5, %r6};",
                 [](auto a, auto b, auto) { return a + b; }},
                {"carry_chain_sub",
                 "mov.b64 {%r1, %r2}, %rd10; mov.b64 {%r3, %r4}, %rd11; sub.cc.u32 %r5, %r1, %r3;"
                 "subc.u32 %r6, %r2, %r4; mov.b64 %rd20, {%r5, %r6};",
                 [](auto a, auto b, auto) { return a - b; }},
                {"carry_out_of_a_sum_with_carry",
                 "add.cc.u64 %rd1, %rd10, %rd11; addc.cc.u64 %rd2, %rd10, %rd12; addc.u64 %rd20, "
                 "0, 0;",
                 [](auto a, auto b, auto c) {
                   const UnsignedWide first = (UnsignedWide{a} + b) >> 64;
                   return static_cast<std::uint64_t>((UnsignedWide{a} + c + first) >> 64);
                 }},
                {"borrow_out_of_a_difference_with_borrow",
                 "sub.cc.u64 %rd1, %rd10, %rd11; subc.cc.u64 %rd2, %rd10, %rd12; subc.u64 %rd20, "
                 "0, 0;",
                 [](auto a, auto b, auto c) {
                   const Wide first = a < b ? 1 : 0;
                   return Wide{a} - c - first < 0 ? ~std::uint64_t{0} : 0;
                 }},
                {"mad_carry",
                 "mad.lo.cc.u32 %r1, %r10, %r11, %r12; madc.hi.u32 %r2, %r10, %r11, 0; mov.b64 "
                 "%rd20, {%r1, "
                 "%r2};",
                 [](auto a, auto b, auto c) { return std::uint64_t{w(a)} * w(b) + w(c); }},
                {"mad_carry_both",
                 "mad.lo.cc.u64 %rd1, %rd10, %rd11, %rd12; madc.hi.cc.u64 %rd2, %rd10, %rd11, "
                 "%rd12; addc.u64 "
                 "%rd20, %rd2, 0;",
                 [](auto a, auto b, auto c) {
                   const UnsignedWide product = UnsignedWide{a} * b;
                   const UnsignedWide low = UnsignedWide{static_cast<std::uint64_t>(product)} + c;
                   const UnsignedWide high = (product >> 64) + c + (low >> 64);
                   return static_cast<std::uint64_t>(high) + static_cast<std::uint64_t>(high >> 64);
                 }},
                {"rem_s64", "rem.s64 %rd20, %rd10, %rd11;",
                 [](auto a, auto b, auto) -> std::uint64_t {
                   if (b == 0) return ~0ULL;
                   return b == ~0ULL ? 0 : static_cast<std::uint64_t>(s64(a) % s64(b));
                 }},
                {"div_s64", "div.s64 %rd20, %rd10, %rd11;",
                 [](auto a, auto b, auto) -> std::uint64_t {
                   if (b == 0) return ~0ULL;
                   return b == ~0ULL ? 0 - a : static_cast<std::uint64_t>(s64(a) / s64(b));
                 }},
                {"min_relu", "min.relu.s32 %r20, %r10, %r11;",
                 [](auto a, auto b, auto) -> std::uint64_t {
                   return w(static_cast<std::uint64_t>(std::max(0, std::min(s(a), s(b)))));
                 }},
                {"add_u16x2", "add.u16x2 %r20, %r10, %r11;",
                 [](auto a, auto b, auto) -> std::uint64_t {
                   return ((a + b) & 0xffffU) | w(((a >> 16) + (b >> 16)) << 16);
                 }},
                {"max_s16x2", "max.s16x2 %r20, %r10, %r11;",
                 [](auto a, auto b, auto) -> std::uint64_t {
                   const auto part = [&](unsigned shift) {
                     return static_cast<std::uint16_t>(
                         std::max(static_cast<std::int16_t>(a >> shift),
                                  static_cast<std::int16_t>(b >> shift)));
                   };
                   return part(0) | std::uint64_t{part(16)} << 16;
                 }},
                {"min_u16x2", "min.u16x2 %r20, %r10, %r11;",
                 [](auto a, auto b, auto) -> std::uint64_t {
                   const auto part = [&](unsigned shift) {
                     return std::min(static_cast<std::uint16_t>(a >> shift),
                                     static_cast<std::uint16_t>(b >> shift));
                   };
                   return part(0) | std::uint64_t{part(16)} << 16;
                 }},
                {"vabsdiff4", "vabsdiff4.u32.u32.u32 %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto) -> std::uint64_t {
                   std::uint64_t result = 0;
                   for (int i = 0; i < 32; i += 8) {
                     result |= std::uint64_t{w(static_cast<std::uint64_t>(
                                   std::abs(static_cast<std::uint8_t>(a >> i) -
                                            static_cast<std::uint8_t>(b >> i))))}
                               << i;
                   }
                   return result;
                 }},
                {"vabsdiff2_sum_of_signed", "vabsdiff2.s32.s32.s32.add %r20, %r10, %r11, %r12;",
                 [](auto a, auto b, auto c) -> std::uint64_t {
                   const auto part = [&](int i) {
                     return std::abs(static_cast<std::int16_t>(a >> i) -
                                     static_cast<std::int16_t>(b >> i));
                   };
                   return w(c + static_cast<std::uint64_t>(part(0) + part(16)));
                 }},
                {"slct_f32", "slct.b64.f32 %rd20, %rd10, %rd11, %f12;",
                 [](auto a, auto b, auto c) { return std::bit_cast<float>(w(c)) >= 0 ? a : b; }},
                {"slct_ftz", "slct.ftz.b64.f32 %rd20, %rd10, %rd11, %f12;",
                 [](auto a, auto b, auto c) {
                   const bool subnormal = (c & 0x7f800000U) == 0;
                   return subnormal || std::bit_cast<float>(w(c)) >= 0 ? a : b;
                 }},
                {"set_f32", "set.lt.f32.s32 %f1, %r10, %r11; mov.b32 %r20, %f1;",
                 [](auto a, auto b, auto) -> std::uint64_t {
                   return s(a) < s(b) ? 0x3f800000 : 0;
                 }},
                {"setp_xor",
                 "setp.gt.u32 %p1, %r10, %r12; setp.hs.xor.u64 %p2, %rd10, %rd11, %p1; selp.u32 "
                 "%r20, 1, 0, %p2;",
                 [](auto a, auto b, auto c) -> std::uint64_t {
                   return (a >= b) != (w(a) > w(c)) ? 1 : 0;
                 }},
                {"setp_not_or",
                 "setp.gt.u32 %p1, %r10, %r12; setp.ne.or.s32 %p2, %r10, %r11, !%p1; selp.u32 "
                 "%r20, 1, 0, %p2;",
                 [](auto a, auto b, auto c) -> std::uint64_t {
                   return w(a) != w(b) || w(a) <= w(c) ? 1 : 0;
                 }},
                {"mov_pack_8",
                 "mov.b64 {%h1, %h2, %h3, %h4}, %rd10; mov.b64 %rd20, {%h4, %h3, %h2, %h1};",
                 [](auto a, auto, auto) {
                   return a << 48 | (a >> 16 & 0xffffU) << 32 | (a >> 32 & 0xffffU) << 16 | a >> 48;
                 }},
};
INSTANTIATE_TEST_SUITE_P(Each, Bits, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Carry, OfASubtractionIsWhatAGpuHas) {
  // One flag for both: set by a subtraction that borrows nothing, and asked for by subc.
  std::vector<Triple> operands(256, Triple{7, 7, 0});
  operands[1] = {1, 2, 0};
  operands[2] = {0xffffffff, 2, 0};
  const auto got = run_spread(
      "sub.cc.u32 %r1, %r10, %r11; addc.u32 %r2, 0, 0; add.cc.u32 %r1, %r10, %r11; subc.u32 %r3, "
      "10, 0; mov.b64 %rd20, {%r2, %r3};",
      operands, Spread::lanes);
  const auto expected = [](std::uint64_t flag, std::uint64_t difference) {
    return difference << 32U | flag;
  };
  EXPECT_EQ(got[0], expected(1, 9));
  EXPECT_EQ(got[1], expected(0, 9));
  EXPECT_EQ(got[2], expected(1, 10));
}

TEST(Carry, OfADivergedPartIsItsOwn) {
  // Lanes that are not in the branch keep the carry they had.
  const auto got = run_spread(
      "add.cc.u32 %r1, -1, 1; setp.lt.u32 %p1, %r0, 16; @!%p1 bra OUT; add.cc.u32 %r1, 0, 0; OUT: "
      "addc.u32 %r2, 0, 0; cvt.u64.u32 %rd20, %r2;",
      std::vector<Triple>(256, Triple{}), Spread::lanes);
  EXPECT_EQ(got[3], 0U);
  EXPECT_EQ(got[20], 1U);
}

}  // namespace
}  // namespace emulator::testing
