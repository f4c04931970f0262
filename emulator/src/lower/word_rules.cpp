#include "lower/word_rules.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace emulator::lower {
namespace {

using M = ptx::Modifier;
using T = ptx::Type;

template <typename Item>
std::vector<Item> operator+(std::vector<Item> left, const std::vector<Item>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

const Words kRounding = {M::rn, M::rz, M::rm, M::rp};
const Words kToInteger = {M::rni, M::rzi, M::rmi, M::rpi};
const Words kLogic = {M::and_, M::or_, M::xor_};
const Types kShorts = {T::u16, T::s16, T::u32, T::s32};
const Types kCarries = {T::u32, T::s32, T::u64, T::s64};
const Types kIntegers = {T::u16, T::s16, T::u32, T::s32, T::u64, T::s64};
const Types kAllIntegers = {T::u8, T::s8, T::u16, T::s16, T::u32, T::s32, T::u64, T::s64};
const Types kBits = {T::b16, T::b32, T::b64};
const Types kLongBits = {T::b32, T::b64};
const Types kF16 = {T::f16, T::f16x2};
const Types kBf16 = {T::bf16, T::bf16x2};
const Types kChoices = kBits + kIntegers + Types{T::f32, T::f64};
const Types kFlushed = {T::f32, T::f16, T::f16x2};

// One of these words, or none.
Patterns perhaps(const Words& words, const Pattern& pattern) {
  Pattern with = pattern;
  with.one = words;
  return {pattern, with};
}

const Patterns& float_sums() {
  static const Patterns kAll = perhaps(kRounding, {.types = {T::f32}, .may = {M::ftz, M::sat}}) +
                               perhaps(kRounding, {.types = {T::f64}}) +
                               perhaps({M::rn}, {.types = kF16, .may = {M::ftz, M::sat}}) +
                               perhaps({M::rn}, {.types = kBf16}) +
                               perhaps(kRounding, {.types = {T::f32x2}, .may = {M::ftz}});
  return kAll;
}

// Of a half and an f32.
Patterns mixed_sums() {
  return perhaps(kRounding, {.types = {T::f16, T::bf16}, .may = {M::sat}, .results = {T::f32}});
}

Patterns sums() {
  return Patterns{{.types = kIntegers},
                  {.types = {T::s32}, .may = {M::sat}},
                  {.types = kCarries, .all = {M::cc}}} +
         float_sums() + mixed_sums();
}

Patterns products() {
  return Patterns{{.types = kIntegers, .one = {M::lo, M::hi}},
                  {.types = kShorts, .all = {M::wide}}} +
         float_sums();
}

Patterns rounded() {
  return {{.types = {T::f32}, .one = kRounding, .may = {M::ftz, M::sat}},
          {.types = {T::f64}, .one = kRounding}};
}

Patterns sums_of_products() {
  return Patterns{{.types = kIntegers, .one = {M::lo, M::hi}},
                  {.types = kShorts, .all = {M::wide}},
                  {.types = {T::s32}, .all = {M::hi, M::sat}},
                  {.types = kCarries, .one = {M::lo, M::hi}, .all = {M::cc}}} +
         rounded();
}

Patterns fused() {
  return rounded() +
         Patterns{
             {.types = kF16, .may = {M::ftz, M::sat}, .all = {M::rn}},
             {.types = kF16, .may = {M::ftz, M::relu}, .all = {M::rn}},
             {.types = kBf16, .may = {M::relu}, .all = {M::rn}},
             {.types = kF16, .may = {M::sat}, .all = {M::rn, M::oob}},
             {.types = kF16 + kBf16, .may = {M::relu}, .all = {M::rn, M::oob}},
             {.types = {T::f32x2}, .one = kRounding, .may = {M::ftz}},
             {.types = {T::f16, T::bf16}, .one = kRounding, .may = {M::sat}, .results = {T::f32}}};
}

Patterns reciprocals() {
  return {{.types = {T::f32}, .one = kRounding + Words{M::approx}, .may = {M::ftz}},
          {.types = {T::f64}, .one = kRounding}};
}

// Of f32, and of nothing else.
Patterns approximate() { return {{.types = {T::f32}, .may = {M::ftz}, .all = {M::approx}}}; }

Patterns signs() {
  return {{.types = {T::s16, T::s32, T::s64, T::f64, T::bf16, T::bf16x2}},
          {.types = kFlushed, .may = {M::ftz}}};
}

Patterns extremes() {
  return {{.types = kIntegers + Types{T::u16x2, T::s16x2, T::f64}},
          {.types = {T::s32, T::s16x2}, .may = {M::relu}},
          {.types = kFlushed, .may = {M::ftz, M::NaN}},
          {.types = kFlushed, .may = {M::ftz, M::NaN}, .all = {M::xorsign, M::abs}},
          {.types = {T::f32}, .may = {M::ftz, M::NaN}, .all = {M::abs}},  // of three operands
          {.types = kBf16, .may = {M::NaN}},
          {.types = kBf16, .may = {M::NaN}, .all = {M::xorsign, M::abs}}};
}

// `set` names a result, which is wide enough to be one of what is compared.
Patterns comparisons(const Types& of_wide = {}, const Types& of_halves = {}) {
  const Words signs = {M::eq, M::ne, M::lt, M::le, M::gt, M::ge};
  const Words of_unsigned = signs + Words{M::lo, M::ls, M::hi, M::hs};
  const Words of_floats =
      signs + Words{M::equ, M::neu, M::ltu, M::leu, M::gtu, M::geu, M::num, M::nan};
  const Words flushing = kLogic + Words{M::ftz};
  return {
      {.types = kBits, .one = {M::eq, M::ne}, .may = kLogic, .results = of_wide},
      {.types = {T::s16, T::s32, T::s64}, .one = signs, .may = kLogic, .results = of_wide},
      {.types = {T::u16, T::u32, T::u64}, .one = of_unsigned, .may = kLogic, .results = of_wide},
      {.types = {T::f32}, .one = of_floats, .may = flushing, .results = of_wide},
      {.types = {T::f64}, .one = of_floats, .may = kLogic, .results = of_wide},
      {.types = kF16, .one = of_floats, .may = flushing, .results = of_halves},
      {.types = kBf16, .one = of_floats, .may = kLogic, .results = of_halves},
  };
}
Patterns comparisons_with_result() {
  const Types both = {T::u32, T::s32, T::f16, T::bf16};
  return comparisons(both + Types{T::f32}, both + Types{T::u16, T::s16, T::f16x2, T::bf16x2});
}

// Between the types that stand alone in a register. What packs two or has fewer bits than a byte
// is none of these.
Patterns plain_conversions() {
  const Types smaller = {T::f16, T::f32, T::f64};
  const Types brains = {T::bf16};
  return {
      {.types = kAllIntegers, .may = {M::sat}, .results = kAllIntegers},
      {.types = {T::f16, T::f64}, .one = kToInteger, .may = {M::sat}, .results = kAllIntegers},
      {.types = {T::f32}, .one = kToInteger, .may = {M::sat, M::ftz}, .results = kAllIntegers},
      {.types = brains, .one = kToInteger, .results = kAllIntegers},
      {.types = kAllIntegers, .one = kRounding, .may = {M::sat}, .results = {T::f16, T::f64}},
      {.types = kAllIntegers, .one = kRounding, .may = {M::sat, M::ftz}, .results = {T::f32}},
      {.types = kAllIntegers, .one = kRounding, .results = brains},
      // To the same type, rounded to a whole number or not.
      {.types = {T::f16}, .may = {M::sat}, .results = {T::f16}},
      {.types = {T::f16}, .one = kToInteger, .may = {M::sat}, .results = {T::f16}},
      {.types = {T::f32}, .may = {M::sat, M::ftz}, .results = {T::f32}},
      {.types = {T::f32}, .one = kToInteger, .may = {M::sat, M::ftz}, .results = {T::f32}},
      {.types = {T::f64}, .may = {M::sat}, .results = {T::f64}},
      {.types = {T::f64}, .one = kToInteger, .may = {M::sat}, .results = {T::f64}},
      {.types = brains, .results = brains},
      {.types = brains, .one = kToInteger, .results = brains},
      // To a wider one.
      {.types = {T::f16}, .may = {M::sat, M::ftz}, .results = {T::f32}},
      {.types = {T::f16}, .may = {M::sat}, .results = {T::f64}},
      {.types = {T::f32}, .may = {M::sat, M::ftz}, .results = {T::f64}},
      {.types = brains, .may = {M::ftz}, .results = {T::f32}},
      {.types = brains, .results = {T::f64, T::f16}},
      {.types = brains, .one = kRounding, .may = {M::ftz}, .results = {T::f32}},
      {.types = brains, .one = kRounding, .results = {T::f64, T::f16}},
      // To a narrower one.
      {.types = {T::f64}, .one = kRounding, .may = {M::sat}, .results = {T::f16}},
      {.types = {T::f64}, .one = kRounding, .may = {M::sat, M::ftz}, .results = {T::f32}},
      {.types = {T::f64}, .one = kRounding, .results = brains},
      {.types = {T::f32}, .one = kRounding, .may = {M::sat, M::ftz}, .results = {T::f16}},
      {.types = {T::f32}, .one = kRounding, .may = {M::ftz}, .results = brains},
      {.types = {T::f32},
       .one = {M::rn, M::rz},
       .may = {M::relu, M::satfinite},
       .results = {T::f16, T::bf16}},
      {.types = {T::f16}, .results = brains},
      {.types = {T::f16}, .one = kRounding, .results = brains},
  };
}

// Of registers that hold several numbers, and of tf32.
Patterns packed_conversions() {
  const Types sixes = {T::e2m3x2, T::e3m2x2};
  const Types others = {T::e4m3x2, T::e5m2x2, T::e2m1x2};
  const Types fours = {T::e4m3x4, T::e5m2x4, T::e2m3x4, T::e3m2x4, T::e2m1x4};
  return {
      {.types = {T::f32},
       .one = {M::rn, M::rz},
       .may = {M::relu, M::satfinite},
       .results = {T::tf32}},
      {.types = {T::f32}, .may = {M::satfinite}, .all = {M::rna}, .results = {T::tf32}},
      {.types = {T::f32},
       .one = {M::rn, M::rz, M::rs},
       .may = {M::relu, M::satfinite},
       .results = {T::f16x2, T::bf16x2}},
      {.types = {T::f32}, .may = {M::relu}, .all = {M::rn, M::satfinite}, .results = sixes},
      {.types = {T::f32, T::f16x2},
       .may = {M::relu},
       .all = {M::rn, M::satfinite},
       .results = others},
      {.types = sixes + others, .may = {M::relu}, .all = {M::rn}, .results = {T::f16x2}},
      {.types = {T::f32}, .may = {M::relu}, .all = {M::rs, M::satfinite}, .results = fours},
      {.types = {T::f32, T::bf16x2},
       .one = {M::rz, M::rp},
       .may = {M::satfinite},
       .results = {T::ue8m0x2}},
      {.types = {T::ue8m0x2}, .all = {M::rn}, .results = {T::bf16x2}},
  };
}

bool is_no_pack(const ptx::Instruction& instruction) { return !instruction.has(M::pack); }

WordRule conversions() {
  return {.has_pattern = is_no_pack,
          .patterns = plain_conversions() + packed_conversions(),
          .words = {M::sat, M::pack}};
}

// How it is ordered, for whom, and where it is kept: none changes the result.
const Words kHow = {M::relaxed, M::acquire, M::release, M::acq_rel,      M::cta,
                    M::cluster, M::gpu,     M::sys,     M::L2_cache_hint};

Patterns reductions() {
  return {{.types = {T::u32, T::s32, T::u64, T::f32, T::f64}, .may = kHow, .all = {M::add}},
          {.types = kF16 + kBf16, .one = {M::add, M::min, M::max}, .may = kHow, .all = {M::noftz}},
          {.types = kCarries, .one = {M::min, M::max}, .may = kHow},
          {.types = {T::u32}, .one = {M::inc, M::dec}, .may = kHow},
          {.types = kLongBits, .one = kLogic, .may = kHow}};
}
// red.async, with the words that say how it completes.
Patterns asynchronous(const Words& may, Words all) {
  all.push_back(M::async);
  return {{.types = kCarries, .one = {M::add}, .may = may, .all = all},
          {.types = {T::u32, T::s32}, .one = {M::min, M::max}, .may = may, .all = all},
          {.types = {T::u32}, .one = {M::inc, M::dec}, .may = may, .all = all},
          {.types = {T::b32}, .one = kLogic, .may = may, .all = all}};
}
Patterns asynchronous() {
  return asynchronous(kHow, {M::mbarrier_complete_tx_bytes}) +
         asynchronous({M::mmio}, {M::release, M::gpu}) +
         asynchronous({M::mmio}, {M::release, M::sys});
}
Patterns atomics() {
  return reductions() +
         Patterns{{.types = {T::b32, T::b64, T::b128}, .may = kHow, .all = {M::exch}},
                  {.types = {T::b16, T::b32, T::b64, T::b128}, .may = kHow, .all = {M::cas}}};
}

// Those whose words go together in more ways than can be listed.

Words video() { return {M::sat, M::add, M::min, M::max}; }
Words video_shifts() { return {M::sat, M::clamp, M::wrap, M::add, M::min, M::max}; }
Words video_comparisons() {
  return {M::eq, M::ne, M::lt, M::le, M::gt, M::ge, M::add, M::min, M::max};
}
Words accesses() {
  return {M::weak,
          M::volatile_,
          M::relaxed,
          M::mmio,
          M::cta,
          M::cluster,
          M::gpu,
          M::sys,
          M::cg,
          M::cs,
          M::L1_evict_normal,
          M::L1_evict_unchanged,
          M::L1_evict_first,
          M::L1_evict_last,
          M::L1_no_allocate,
          M::L2_evict_last,
          M::L2_evict_normal,
          M::L2_evict_first,
          M::L2_cache_hint};
}
Words loads() {
  return accesses() + Words{M::acquire, M::nc,     M::ca,      M::lu,     M::cv,
                            M::unified, M::L2_64B, M::L2_128B, M::L2_256B};
}
Words stores() {
  return accesses() +
         Words{M::release, M::wb, M::wt, M::async, M::bulk, M::mbarrier_complete_tx_bytes};
}
Words copies() {
  return kLogic + Words{M::async,
                        M::bulk,
                        M::reduce,
                        M::prefetch,
                        M::ca,
                        M::cg,
                        M::read,
                        M::L2,
                        M::commit_group,
                        M::wait_group,
                        M::wait_all,
                        M::bulk_group,
                        M::mbarrier,
                        M::arrive,
                        M::noinc,
                        M::ignore_src,
                        M::cp_mask,
                        M::L2_64B,
                        M::L2_128B,
                        M::L2_256B,
                        M::L2_cache_hint,
                        M::mbarrier_complete_tx_bytes,
                        M::multicast_cluster,
                        M::tensor,
                        M::tile,
                        M::im2col,
                        M::im2col_no_offs,
                        M::tile_gather4,
                        M::tile_scatter4,
                        M::im2col_w,
                        M::im2col_w_128,
                        M::dim_1d,
                        M::dim_2d,
                        M::dim_3d,
                        M::dim_4d,
                        M::dim_5d,
                        M::add,
                        M::min,
                        M::max,
                        M::inc,
                        M::dec,
                        M::noftz};
}
Words tensor_map_fields() {
  return {M::replace,
          M::tile,
          M::global_address,
          M::rank,
          M::box_dim,
          M::global_dim,
          M::elemtype,
          M::global_stride,
          M::element_stride,
          M::interleave_layout,
          M::swizzle_mode,
          M::swizzle_atomicity,
          M::fill_mode,
          M::b1024,
          M::cp_fenceproxy,
          M::tensormap_generic,
          M::release,
          M::cta,
          M::cluster,
          M::gpu,
          M::sys,
          M::sync,
          M::aligned};
}
Words mbarriers() {
  return {M::init,     M::inval,       M::expect_tx,     M::complete_tx,
          M::arrive,   M::arrive_drop, M::noComplete,    M::test_wait,
          M::try_wait, M::parity,      M::pending_count, M::acquire,
          M::release,  M::relaxed,     M::cta,           M::cluster};
}
Words barriers() {
  return {M::cta, M::sync, M::arrive,  M::red,  M::aligned, M::popc,    M::and_,
          M::or_, M::warp, M::cluster, M::wait, M::acquire, M::release, M::relaxed};
}
Words matrix_accesses() {
  return {M::sync, M::aligned, M::m8n8,  M::m16n16, M::m8n16,     M::m16n8,    M::x1,
          M::x2,   M::x4,      M::trans, M::b8x16,  M::b6x16_p32, M::b4x16_p64};
}
Words matrix_products() {
  return {M::sync,
          M::aligned,
          M::row,
          M::col,
          M::m8n8k4,
          M::m16n8k4,
          M::m16n8k8,
          M::m16n8k16,
          M::m16n8k32,
          M::satfinite,
          M::m8n8k16,
          M::m8n8k32,
          M::m8n8k128,
          M::m16n8k64,
          M::m16n8k128,
          M::m16n8k256,
          M::xor_,
          M::and_,
          M::popc,
          M::sp,
          M::sp_ordered_metadata,
          M::kind_f8f6f4,
          M::kind_mxf8f6f4,
          M::kind_mxf4,
          M::kind_mxf4nvf4,
          M::block_scale,
          M::scale_vec_1X,
          M::scale_vec_2X,
          M::scale_vec_4X};
}
Words matrix_fragments() {
  return {M::sync,     M::aligned,  M::row,      M::col,       M::load, M::store,
          M::mma,      M::a,        M::b,        M::c,         M::d,    M::m16n16k16,
          M::m8n32k16, M::m32n8k16, M::m16n16k8, M::satfinite, M::rn,   M::m8n8k4,
          M::m8n8k32,  M::m8n8k128, M::xor_,     M::and_,      M::popc};
}

Words warpgroup_products() {
  Words all = {M::mma_async,    M::sp,         M::fence, M::sync,      M::aligned,
               M::commit_group, M::wait_group, M::and_,  M::satfinite, M::popc};
#define EMULATOR_LOWER_WORD(name, spelling) all.push_back(M::name);
  EMULATOR_PTX_WGMMA_SHAPES(EMULATOR_LOWER_WORD)
#undef EMULATOR_LOWER_WORD
  return all;
}

// Hints and fences: no word of theirs changes a result.
WordRule any_words() { return {.any = true}; }

Words no_words() { return {}; }

// What the emulator has none of, whatever words an instruction of it carries.
WordRule lacking(const char* why) { return {.lacking = why}; }

WordRule rule(WordRule whole) { return whole; }
WordRule rule(Patterns patterns) { return {.patterns = std::move(patterns)}; }
WordRule rule(Words words) { return {.words = std::move(words)}; }

}  // namespace

const WordRule& word_rule(ptx::Opcode opcode) {
#define OPCODE(opcode, spelling, operands, group, result, effect, lanes, nans, value, lowering, \
               ...)                                                                             \
  rule(__VA_ARGS__),
  static const auto kRules = std::to_array<WordRule>({
#include "ptx/opcodes.def"
  });
  return kRules.at(static_cast<std::size_t>(opcode));
}

}  // namespace emulator::lower
