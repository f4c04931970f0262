#include "lower/word_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "lower/writer.h"

namespace emulator::lower {
namespace {

using M = ptx::Modifier;
using O = ptx::Opcode;
using T = ptx::Type;
using Words = std::vector<M>;
using Types = std::vector<T>;

// All of `all`, one of `one` where it names any, and nothing else but `may`. `types` are those of
// the last type, `results` those of the one before it; none named: anything.
struct Pattern {
  Types types;
  Words one{};
  Words may{};
  Words all{};
  Types results{};
};
using Patterns = std::vector<Pattern>;

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
const Types kFlushed = {T::f32, T::f16, T::f16x2};

template <typename Item>
std::vector<Item> operator+(std::vector<Item> left, const std::vector<Item>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

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
                               perhaps({M::rn}, {.types = kBf16});
  return kAll;
}

Patterns sums() {
  return Patterns{{.types = kIntegers},
                  {.types = {T::s32}, .may = {M::sat}},
                  {.types = kCarries, .all = {M::cc}}} +
         float_sums();
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
  return rounded() + Patterns{{.types = kF16, .may = {M::ftz, M::sat}, .all = {M::rn}},
                              {.types = kF16, .may = {M::ftz, M::relu}, .all = {M::rn}},
                              {.types = kBf16, .may = {M::relu}, .all = {M::rn}}};
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
Patterns conversions() {
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
Patterns atomics() {
  return reductions() +
         Patterns{{.types = {T::b32, T::b64, T::b128}, .may = kHow, .all = {M::exch}},
                  {.types = {T::b16, T::b32, T::b64, T::b128}, .may = kHow, .all = {M::cas}}};
}

const std::map<O, Patterns>& patterns() {
  static const Types kChoices = kBits + kIntegers + Types{T::f32, T::f64};
  static const std::map<O, Patterns> kAll = {
      {O::add, sums() + Patterns{{.types = {T::u16x2, T::s16x2}}}},
      {O::sub, sums()},
      {O::addc, {{.types = kIntegers}, {.types = kCarries, .all = {M::cc}}}},
      {O::subc, {{.types = kIntegers}, {.types = kCarries, .all = {M::cc}}}},
      {O::mul, products()},
      {O::mad, sums_of_products()},
      {O::madc,
       {{.types = kIntegers, .one = {M::lo, M::hi}},
        {.types = kCarries, .one = {M::lo, M::hi}, .all = {M::cc}}}},
      {O::fma, fused()},
      {O::div,
       {{.types = kIntegers},
        {.types = {T::f32}, .one = kRounding + Words{M::approx, M::full}, .may = {M::ftz}},
        {.types = {T::f64}, .one = kRounding}}},
      {O::rem, {{.types = kIntegers}}},
      {O::rcp, reciprocals() + Patterns{{.types = {T::f64}, .all = {M::approx, M::ftz}}}},
      {O::sqrt, reciprocals()},
      {O::rsqrt, {{.types = {T::f32, T::f64}, .may = {M::ftz}, .all = {M::approx}}}},
      {O::sin, approximate()},
      {O::cos, approximate()},
      {O::lg2, approximate()},
      {O::ex2, approximate() + Patterns{{.types = kF16, .all = {M::approx}},
                                        {.types = kBf16, .all = {M::approx, M::ftz}}}},
      {O::tanh, {{.types = Types{T::f32} + kF16 + kBf16, .all = {M::approx}}}},
      {O::abs, signs()},
      {O::neg, signs()},
      {O::min, extremes()},
      {O::max, extremes()},
      {O::and_, {{.types = kBits + Types{T::pred}}}},
      {O::or_, {{.types = kBits + Types{T::pred}}}},
      {O::xor_, {{.types = kBits + Types{T::pred}}}},
      {O::not_, {{.types = kBits + Types{T::pred}}}},
      {O::cnot, {{.types = kBits}}},
      {O::mul24, {{.types = {T::u32, T::s32}, .one = {M::lo, M::hi}}}},
      {O::mad24,
       {{.types = {T::u32, T::s32}, .one = {M::lo, M::hi}},
        {.types = {T::s32}, .all = {M::hi, M::sat}}}},
      {O::sad, {{.types = kIntegers}}},
      {O::brev, {{.types = kLongBits}}},
      {O::copysign, {{.types = {T::f32, T::f64}}}},
      {O::shl, {{.types = kBits}}},
      {O::shr, {{.types = kBits + kIntegers}}},
      {O::popc, {{.types = kLongBits}}},
      {O::clz, {{.types = kLongBits}}},
      {O::bfind, {{.types = kCarries, .may = {M::shiftamt}}}},
      {O::bfe, {{.types = kCarries}}},
      {O::bfi, {{.types = kLongBits}}},
      {O::fns, {{.types = {T::b32}}}},
      {O::lop3, {{.types = {T::b32}}, {.types = {T::b32}, .one = {M::or_, M::and_}}}},
      {O::bmsk, {{.types = {T::b32}, .one = {M::wrap, M::clamp}}}},
      {O::szext, {{.types = {T::u32, T::s32}, .one = {M::wrap, M::clamp}}}},
      {O::shf,
       {{.types = {T::b32}, .one = {M::wrap, M::clamp}, .all = {M::l}},
        {.types = {T::b32}, .one = {M::wrap, M::clamp}, .all = {M::r}}}},
      {O::prmt, perhaps({M::f4e, M::b4e, M::rc8, M::ecl, M::ecr, M::rc16}, {.types = {T::b32}})},
      {O::mov, {{.types = kChoices + Types{T::b128, T::pred}}}},
      {O::selp, {{.types = kChoices}}},
      {O::set, comparisons_with_result()},
      {O::setp, comparisons()},
      {O::slct,
       {{.types = {T::s32}, .results = kChoices},
        {.types = {T::f32}, .may = {M::ftz}, .results = kChoices}}},
      {O::testp,
       {{.types = {T::f32, T::f64},
         .one = {M::finite, M::infinite, M::number, M::notanumber, M::normal, M::subnormal}}}},
      {O::dp4a, {{.types = {T::u32, T::s32}}}},
      {O::dp2a, {{.types = {T::u32, T::s32}, .one = {M::lo, M::hi}}}},
      {O::cvt, conversions()},
      {O::atom, atomics()},
      {O::red, reductions()},
      {O::shfl, {{.types = {T::b32}, .one = {M::up, M::down, M::bfly, M::idx}, .may = {M::sync}}}},
      {O::match, {{.types = kLongBits, .one = {M::any, M::all}, .may = {M::sync}}}},
      {O::redux,
       {{.types = {T::u32, T::s32}, .one = {M::add, M::min, M::max}, .all = {M::sync}},
        {.types = {T::b32}, .one = kLogic, .all = {M::sync}}}},
  };
  return kAll;
}

template <typename Item>
bool contains(const std::vector<Item>& items, Item item) {
  return std::ranges::find(items, item) != items.end();
}

bool is_word_of(const Pattern& pattern, M word) {
  return contains(pattern.one, word) || contains(pattern.may, word) || contains(pattern.all, word);
}

bool has_types_of(const Pattern& pattern, const ptx::Instruction& instruction) {
  if (!contains(pattern.types, instruction.type())) return false;
  return pattern.results.empty() ||
         (instruction.types.size() == 2 && contains(pattern.results, instruction.types.front()));
}

bool fits(const Pattern& pattern, const ptx::Instruction& instruction) {
  const auto has = [&](M word) { return instruction.has(word); };
  return std::ranges::all_of(pattern.all, has) &&
         std::ranges::count_if(pattern.one, has) == (pattern.one.empty() ? 0 : 1) &&
         std::ranges::all_of(instruction.modifiers,
                             [&](M word) { return is_word_of(pattern, word); });
}

}  // namespace

bool has_patterns(const ptx::Instruction& instruction) {
  if (instruction.opcode == O::cvt) {
    static const Types kListed =
        kAllIntegers + kBits + Types{T::b8, T::f16, T::bf16, T::f32, T::f64};
    return instruction.types.size() == 2 && !instruction.has(M::pack) &&
           std::ranges::all_of(instruction.types, [](T type) { return contains(kListed, type); });
  }
  return patterns().contains(instruction.opcode);
}

void require_pattern(const ptx::Instruction& instruction) {
  std::vector<const Pattern*> of_types;
  for (const Pattern& pattern : patterns().at(instruction.opcode)) {
    if (!has_types_of(pattern, instruction)) continue;
    if (fits(pattern, instruction)) return;
    of_types.push_back(&pattern);
  }
  if (of_types.empty()) unsupported(instruction, "it is not defined for this type");
  for (const M word : instruction.modifiers) {
    const auto has_word = [&](const Pattern* pattern) { return is_word_of(*pattern, word); };
    if (std::ranges::none_of(of_types, has_word)) {
      unsupported(instruction, fmt::format("'.{}' is not, for this type", ptx::spelling(word)));
    }
  }
  unsupported(instruction, "a word is missing, or some do not go together");
}

}  // namespace emulator::lower
