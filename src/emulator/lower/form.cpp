#include "emulator/lower/form.h"

#include <algorithm>
#include <bit>

namespace emulator::lower {
namespace {

__extension__ using Wide = __int128;  // holds every sum and product of two 64-bit bounds

// `value` modulo 2^bits, read as signed.
std::int64_t wrap(Wide value, unsigned bits) {
  auto low = static_cast<std::uint64_t>(value);
  if (bits >= 64) return static_cast<std::int64_t>(low);
  const unsigned unused = 64 - bits;
  return static_cast<std::int64_t>(low << unused) >> unused;
}

// The bounds if no value in between wraps at this width, else everything.
Range range_or_full(Wide low, Wide high, unsigned bits) {
  const Range full = full_range(bits);
  if (low < full.low || high > full.high) return full;
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

unsigned zeros_of(std::int64_t value) {
  return value == 0 ? 64U
                    : static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(value)));
}

// The form of a result that is no longer affine: uniform operands still give a uniform result.
Form other(const Form& a, const Form& b, unsigned bits) {
  if (a.kind == Form::Kind::unset || b.kind == Form::Kind::unset) return {};
  return a.is_uniform() && b.is_uniform() ? Form::uniform(bits) : Form::any();
}

bool has_offsets(const Form& form) { return form.kind == Form::Kind::affine || form.guess; }

// Combines the offsets of an operation that is linear in both operands.
template <typename Combine>
Form linear(const Form& a, const Form& b, Range range, unsigned zeros, unsigned bits,
            Combine combine) {
  if (a.kind == Form::Kind::unset || b.kind == Form::Kind::unset) return {};
  if (!has_offsets(a) || !has_offsets(b)) return Form::any();
  Form result{.kind = Form::Kind::affine, .range = range, .trailing_zeros = zeros};
  for (std::size_t lane = 0; lane < result.offset.size(); ++lane) {
    result.offset[lane] = wrap(combine(a.offset[lane], b.offset[lane]), bits);
  }
  if (a.is_vector() || b.is_vector()) return Form::guessed(result.offset);
  return result;
}

}  // namespace

Range full_range(unsigned bits) {
  if (bits >= 64) return {INT64_MIN, INT64_MAX};
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  return {-half, half - 1};
}

bool Form::is_uniform() const {
  return kind == Kind::affine && std::ranges::all_of(offset, [](std::int64_t o) { return o == 0; });
}
std::int64_t Form::lowest_offset() const { return *std::ranges::min_element(offset); }
std::int64_t Form::highest_offset() const { return *std::ranges::max_element(offset); }

Form Form::uniform(Range range, unsigned trailing_zeros) {
  return {.kind = Kind::affine,
          .range = range,
          .trailing_zeros = range.constant() ? zeros_of(range.low) : trailing_zeros};
}
Form Form::constant(std::int64_t value) { return uniform(Range{value, value}); }
Form Form::guessed(const LaneOffsets& offset) {
  return {.kind = Kind::vector, .offset = offset, .guess = true};
}

Form join(const Form& a, const Form& b) {
  if (a.kind == Form::Kind::unset) return b;
  if (b.kind == Form::Kind::unset) return a;
  if (!has_offsets(a) || !has_offsets(b) || a.offset != b.offset) return Form::any();
  if (a.is_vector() || b.is_vector()) return Form::guessed(a.offset);
  Form result = a;
  result.range = {std::min(a.range.low, b.range.low), std::max(a.range.high, b.range.high)};
  result.trailing_zeros = std::min(a.trailing_zeros, b.trailing_zeros);
  return result;
}

Form add(const Form& a, const Form& b, unsigned bits) {
  return linear(
      a, b, range_or_full(Wide{a.range.low} + b.range.low, Wide{a.range.high} + b.range.high, bits),
      std::min(a.trailing_zeros, b.trailing_zeros), bits, [](Wide x, Wide y) { return x + y; });
}

Form subtract(const Form& a, const Form& b, unsigned bits) {
  return linear(
      a, b, range_or_full(Wide{a.range.low} - b.range.high, Wide{a.range.high} - b.range.low, bits),
      std::min(a.trailing_zeros, b.trailing_zeros), bits, [](Wide x, Wide y) { return x - y; });
}

Form multiply(const Form& a, const Form& b, unsigned bits) {
  if (!a.is_constant() && b.is_constant()) return multiply(b, a, bits);
  if (!a.is_constant() || b.kind == Form::Kind::unset) {
    Form result = other(a, b, bits);
    if (result.is_uniform()) {
      const Wide corners[] = {Wide{a.range.low} * b.range.low, Wide{a.range.low} * b.range.high,
                              Wide{a.range.high} * b.range.low, Wide{a.range.high} * b.range.high};
      result.range = range_or_full(*std::ranges::min_element(corners),
                                   *std::ranges::max_element(corners), bits);
      result.trailing_zeros = std::min(a.trailing_zeros + b.trailing_zeros, 64U);
    }
    return result;
  }
  const Wide factor = a.range.low;
  const Wide low = std::min(factor * b.range.low, factor * b.range.high);
  const Wide high = std::max(factor * b.range.low, factor * b.range.high);
  return linear(a, b, range_or_full(low, high, bits),
                std::min(a.trailing_zeros + b.trailing_zeros, 64U), bits,
                [factor](Wide, Wide y) { return factor * y; });
}

Form shift_left(const Form& a, const Form& amount, unsigned bits) {
  if (!amount.is_constant()) return other(a, amount, bits);
  const std::int64_t by = amount.range.low;
  if (by < 0 || by >= static_cast<std::int64_t>(bits)) return other(a, amount, bits);
  if (by == 63) return other(a, amount, bits);  // 1 << 63 is no positive factor
  return multiply(a, Form::constant(std::int64_t{1} << by), bits);
}

Form shift_right(const Form& a, const Form& amount, unsigned bits, bool is_signed) {
  if (a.kind == Form::Kind::unset || amount.kind == Form::Kind::unset) return {};
  const std::int64_t by = amount.range.low;
  const bool exact = amount.is_constant() && by >= 0 && by < static_cast<std::int64_t>(bits) &&
                     by < 63 && a.kind == Form::Kind::affine;
  if (!exact) return other(a, amount, bits);
  // The scalar's low bits are zero and every offset stays below them, so no lane carries into what
  // is kept; an unsigned shift further needs that no lane is negative.
  const Wide low = Wide{a.range.low} + a.lowest_offset();
  const Wide high = Wide{a.range.high} + a.highest_offset();
  const Range full = full_range(bits);
  const bool no_wrap = low >= full.low && high <= full.high && (is_signed || low >= 0);
  if (!no_wrap) return other(a, amount, bits);
  // All bits of every lane are shifted out: the sign of a value that has none, as in a division by
  // a power of two.
  if (low >= 0 && (high >> by) == 0) return Form::constant(0);
  if (!a.is_uniform() && (a.trailing_zeros < static_cast<unsigned>(by) || a.lowest_offset() < 0)) {
    return other(a, amount, bits);
  }
  if (!a.is_uniform() && a.range.low < 0 && !is_signed) return other(a, amount, bits);
  Form result = a;
  result.range = {a.range.low >> by, a.range.high >> by};
  result.trailing_zeros = a.trailing_zeros > static_cast<unsigned>(by)
                              ? a.trailing_zeros - static_cast<unsigned>(by)
                              : 0U;
  if (result.range.constant()) result.trailing_zeros = zeros_of(result.range.low);
  for (auto& offset : result.offset) offset >>= by;
  return result;
}

Form bit_and(const Form& a, const Form& b, unsigned bits) {
  if (!a.is_constant() && b.is_constant()) return bit_and(b, a, bits);
  if (!a.is_constant() || b.kind != Form::Kind::affine) return other(a, b, bits);
  const std::int64_t mask = a.range.low;
  if (b.is_uniform()) {
    Form result = Form::uniform(bits);
    if (mask >= 0) result.range = {0, b.range.low >= 0 ? std::min(mask, b.range.high) : mask};
    if (b.range.constant()) result.range = {mask & b.range.low, mask & b.range.low};
    result.trailing_zeros = std::max(zeros_of(mask), b.trailing_zeros);
    return result;
  }
  // Offsets live strictly below the scalar's known zero bits: scalar & mask and offset & mask never
  // meet.
  const std::int64_t limit =
      b.trailing_zeros >= 62 ? INT64_MAX : std::int64_t{1} << b.trailing_zeros;
  if (b.lowest_offset() < 0 || b.highest_offset() >= limit) return other(a, b, bits);
  Form result = Form::uniform(bits);
  if (mask >= 0) result.range = {0, b.range.low >= 0 ? std::min(mask, b.range.high) : mask};
  // Where the mask keeps none of the scalar's possible bits, the scalar is 0.
  if (mask >= 0 && mask < limit) result.range = {0, 0};
  if (b.range.constant()) result.range = {mask & b.range.low, mask & b.range.low};
  result.trailing_zeros = result.range.constant() ? zeros_of(result.range.low) : b.trailing_zeros;
  for (std::size_t lane = 0; lane < result.offset.size(); ++lane) {
    result.offset[lane] = b.offset[lane] & mask;
  }
  return result;
}

Form bit_or(const Form& a, const Form& b, unsigned bits) {
  if (!a.is_constant() && b.is_constant()) return bit_or(b, a, bits);
  if (a.kind == Form::Kind::unset || b.kind == Form::Kind::unset) return {};
  if (a.kind != Form::Kind::affine || b.kind != Form::Kind::affine) return other(a, b, bits);
  const auto limit = [](unsigned zeros) {
    return zeros >= 62 ? INT64_MAX : std::int64_t{1} << zeros;
  };
  const auto fits_below = [&](const Form& small, const Form& large) {
    // Everything `small` can be lies below the zero bits of large's scalar, and large has no
    // offsets of its own.
    return large.is_uniform() && small.range.low + small.lowest_offset() >= 0 &&
           small.range.low >= 0 && small.lowest_offset() >= 0 &&
           small.range.high < limit(large.trailing_zeros) &&
           small.highest_offset() < limit(large.trailing_zeros) &&
           small.range.high + small.highest_offset() < limit(large.trailing_zeros);
  };
  if (fits_below(a, b) || fits_below(b, a)) return add(a, b, bits);
  return other(a, b, bits);
}

Form extend(const Form& a, unsigned from, unsigned to, bool is_signed) {
  if (a.kind == Form::Kind::unset || from >= to) return a;
  if (a.is_vector()) return a;
  const Wide low = Wide{a.range.low} + a.lowest_offset();
  const Wide high = Wide{a.range.high} + a.highest_offset();
  const Range full = full_range(from);
  const bool no_wrap =
      low >= full.low && high <= full.high && (is_signed || (low >= 0 && a.range.low >= 0));
  if (no_wrap) return a;
  if (!a.is_uniform()) return Form::guessed(a.offset);
  Form result = a;
  result.range = is_signed
                     ? full
                     : Range{0, to > from && from < 63 ? (std::int64_t{1} << from) - 1 : INT64_MAX};
  if (is_signed && a.range.low >= full.low && a.range.high <= full.high) result.range = a.range;
  return result;
}

Form truncate(const Form& a, unsigned to) {
  if (a.kind == Form::Kind::unset) return a;
  Form result = a;
  if (a.kind == Form::Kind::affine) {
    result.range = range_or_full(a.range.low, a.range.high, to);
  }
  for (auto& offset : result.offset) offset = wrap(offset, to);
  return result;
}

}  // namespace emulator::lower
