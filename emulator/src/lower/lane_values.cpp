#include "lower/lane_values.h"

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

// What a number with so many trailing zeros can be added to without meeting its bits: anything
// from 0 to below this. The number 0 has 64 of them; 2^64 is above all there is to add.
Wide first_bit(unsigned trailing_zeros) { return Wide{1} << std::min(trailing_zeros, 64U); }

// The bounds of what the lanes hold, as numbers without an end.
Wide lowest_lane(const LaneValues& lane_values) {
  return Wide{lane_values.range.low} + lane_values.lowest_offset();
}
Wide highest_lane(const LaneValues& lane_values) {
  return Wide{lane_values.range.high} + lane_values.highest_offset();
}

// Whether scalar and lanes, read as signed at this width, are all what the sums say.
bool fits(const LaneValues& lane_values, unsigned bits) {
  const Range full = full_range(bits);
  return lowest_lane(lane_values) >= full.low && highest_lane(lane_values) <= full.high &&
         lane_values.range.low >= full.low && lane_values.range.high <= full.high;
}

bool is_never_negative(const LaneValues& lane_values) {
  return lane_values.range.low >= 0 && lowest_lane(lane_values) >= 0;
}

// A result that is no longer affine: uniform operands still give a uniform result.
LaneValues other(const LaneValues& a, const LaneValues& b, unsigned bits) {
  if (a.kind == LaneValues::Kind::unset || b.kind == LaneValues::Kind::unset) return {};
  return a.is_uniform() && b.is_uniform() ? LaneValues::uniform(bits) : LaneValues::any();
}

bool has_offsets(const LaneValues& lane_values) {
  return lane_values.kind == LaneValues::Kind::affine || lane_values.guess;
}

// Combines the offsets of an operation that is linear in both operands.
template <typename Combine>
LaneValues linear(const LaneValues& a, const LaneValues& b, Range range, unsigned zeros,
                  unsigned bits, Combine combine) {
  if (a.kind == LaneValues::Kind::unset || b.kind == LaneValues::Kind::unset) return {};
  if (!has_offsets(a) || !has_offsets(b)) return LaneValues::any();
  LaneValues result = LaneValues::uniform(range, zeros);
  for (std::size_t lane = 0; lane < result.offset.size(); ++lane) {
    result.offset[lane] = wrap(combine(a.offset[lane], b.offset[lane]), bits);
  }
  if (a.is_vector() || b.is_vector()) return LaneValues::guessed(result.offset);
  return result;
}

}  // namespace

Range full_range(unsigned bits) {
  if (bits >= 64) return {INT64_MIN, INT64_MAX};
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  return {-half, half - 1};
}

bool LaneValues::is_uniform() const {
  return kind == Kind::affine && std::ranges::all_of(offset, [](std::int64_t o) { return o == 0; });
}
std::int64_t LaneValues::lowest_offset() const { return *std::ranges::min_element(offset); }
std::int64_t LaneValues::highest_offset() const { return *std::ranges::max_element(offset); }

LaneValues LaneValues::uniform(Range range, unsigned trailing_zeros) {
  return {.kind = Kind::affine,
          .range = range,
          .trailing_zeros = range.constant() ? zeros_of(range.low) : trailing_zeros};
}
LaneValues LaneValues::constant(std::int64_t value) { return uniform(Range{value, value}); }
LaneValues LaneValues::guessed(const LaneOffsets& offset) {
  return {.kind = Kind::vector, .offset = offset, .guess = true};
}

LaneValues join(const LaneValues& a, const LaneValues& b) {
  if (a.kind == LaneValues::Kind::unset) return b;
  if (b.kind == LaneValues::Kind::unset) return a;
  if (!has_offsets(a) || !has_offsets(b) || a.offset != b.offset) return LaneValues::any();
  if (a.is_vector() || b.is_vector()) return LaneValues::guessed(a.offset);
  LaneValues result = a;
  result.range = {std::min(a.range.low, b.range.low), std::max(a.range.high, b.range.high)};
  result.trailing_zeros = std::min(a.trailing_zeros, b.trailing_zeros);
  return result;
}

LaneValues add(const LaneValues& a, const LaneValues& b, unsigned bits) {
  return linear(
      a, b, range_or_full(Wide{a.range.low} + b.range.low, Wide{a.range.high} + b.range.high, bits),
      std::min(a.trailing_zeros, b.trailing_zeros), bits, [](Wide x, Wide y) { return x + y; });
}

LaneValues subtract(const LaneValues& a, const LaneValues& b, unsigned bits) {
  return linear(
      a, b, range_or_full(Wide{a.range.low} - b.range.high, Wide{a.range.high} - b.range.low, bits),
      std::min(a.trailing_zeros, b.trailing_zeros), bits, [](Wide x, Wide y) { return x - y; });
}

LaneValues multiply(const LaneValues& a, const LaneValues& b, unsigned bits) {
  if (!a.is_constant() && b.is_constant()) return multiply(b, a, bits);
  if (!a.is_constant() || b.kind == LaneValues::Kind::unset) {
    const LaneValues result = other(a, b, bits);
    if (result.is_uniform()) {
      const Wide corners[] = {Wide{a.range.low} * b.range.low, Wide{a.range.low} * b.range.high,
                              Wide{a.range.high} * b.range.low, Wide{a.range.high} * b.range.high};
      return LaneValues::uniform(range_or_full(*std::ranges::min_element(corners),
                                               *std::ranges::max_element(corners), bits),
                                 std::min(a.trailing_zeros + b.trailing_zeros, 64U));
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

LaneValues shift_left(const LaneValues& a, const LaneValues& amount, unsigned bits) {
  if (!amount.is_constant()) return other(a, amount, bits);
  const std::int64_t by = amount.range.low;
  if (by < 0 || by >= static_cast<std::int64_t>(bits)) return other(a, amount, bits);
  if (by == 63) return other(a, amount, bits);  // 1 << 63 is no positive factor
  return multiply(a, LaneValues::constant(std::int64_t{1} << by), bits);
}

LaneValues shift_right(const LaneValues& a, const LaneValues& amount, unsigned bits,
                       bool is_signed) {
  if (a.kind == LaneValues::Kind::unset || amount.kind == LaneValues::Kind::unset) return {};
  const std::int64_t by = amount.range.low;
  const bool exact = amount.is_constant() && by >= 0 && by < static_cast<std::int64_t>(bits) &&
                     by < 63 && a.kind == LaneValues::Kind::affine;
  if (!exact) return other(a, amount, bits);
  // An unsigned shift further needs that nothing is negative.
  if (!fits(a, bits) || (!is_signed && !is_never_negative(a))) return other(a, amount, bits);
  // All bits of every lane, and of the scalar, are shifted out: the sign of a value that has none,
  // as in a division by a power of two.
  const Wide highest = std::max(highest_lane(a), Wide{a.range.high});
  if (is_never_negative(a) && (highest >> by) == 0) return LaneValues::constant(0);
  // The scalar's bits that are shifted out are zero, so that no lane carries into what is kept.
  if (!a.is_uniform() && a.trailing_zeros < static_cast<unsigned>(by)) {
    return other(a, amount, bits);
  }
  const unsigned zeros = a.trailing_zeros - std::min(a.trailing_zeros, static_cast<unsigned>(by));
  LaneValues result = LaneValues::uniform(Range{a.range.low >> by, a.range.high >> by}, zeros);
  for (std::size_t lane = 0; lane < result.offset.size(); ++lane) {
    result.offset[lane] = a.offset[lane] >> by;
  }
  return result;
}

LaneValues bit_and(const LaneValues& a, const LaneValues& b, unsigned bits) {
  if (!a.is_constant() && b.is_constant()) return bit_and(b, a, bits);
  if (!a.is_constant() || b.kind != LaneValues::Kind::affine) return other(a, b, bits);
  const std::int64_t mask = a.range.low;
  // Offsets that lie below the scalar's lowest bit do not meet it: each is masked by itself.
  const Wide limit = first_bit(b.trailing_zeros);
  if (!b.is_uniform() && (b.lowest_offset() < 0 || b.highest_offset() >= limit)) {
    return other(a, b, bits);
  }
  Range range = full_range(bits);
  if (mask >= 0) range = {0, b.range.low >= 0 ? std::min(mask, b.range.high) : mask};
  // Where the mask keeps none of the scalar's possible bits, the scalar is 0.
  if (mask >= 0 && mask < limit) range = {0, 0};
  if (b.range.constant()) range = {mask & b.range.low, mask & b.range.low};
  LaneValues result = LaneValues::uniform(range, std::max(zeros_of(mask), b.trailing_zeros));
  for (std::size_t lane = 0; lane < result.offset.size(); ++lane) {
    result.offset[lane] = b.offset[lane] & mask;
  }
  return result;
}

LaneValues bit_or(const LaneValues& a, const LaneValues& b, unsigned bits) {
  if (a.kind == LaneValues::Kind::unset || b.kind == LaneValues::Kind::unset) return {};
  if (a.kind != LaneValues::Kind::affine || b.kind != LaneValues::Kind::affine)
    return other(a, b, bits);
  // Everything `small` can be lies below the lowest bit of large's scalar, and large has no offsets
  // of its own: they do not meet, so that their sum is the same.
  const auto fits_below = [&](const LaneValues& small, const LaneValues& large) {
    const Wide limit = first_bit(large.trailing_zeros);
    return large.is_uniform() && fits(small, bits) && small.range.low >= 0 &&
           small.lowest_offset() >= 0 && small.range.high < limit && highest_lane(small) < limit;
  };
  if (fits_below(a, b) || fits_below(b, a)) return add(a, b, bits);
  return other(a, b, bits);
}

LaneValues extend(const LaneValues& a, unsigned from, unsigned to, Extension how) {
  if (a.kind != LaneValues::Kind::affine || from >= to) return a;
  if (fits(a, from) && (how == Extension::sign || is_never_negative(a))) return a;
  if (!a.is_uniform()) return LaneValues::guessed(a.offset);
  // No fewer zeros: they are the lowest bits, which stay. from < to <= 64, but of a register of 128
  // bits nothing is claimed that 64 do not say.
  const bool zeros = how == Extension::zeros && from < 63;
  const Range range = zeros ? Range{0, (std::int64_t{1} << from) - 1} : full_range(to);
  return LaneValues::uniform(range, a.trailing_zeros);
}

LaneValues truncate(const LaneValues& a, unsigned to) {
  if (a.kind == LaneValues::Kind::unset) return a;
  LaneValues result = a;
  for (auto& offset : result.offset) offset = wrap(offset, to);
  if (a.is_vector()) return result;
  const std::int64_t wrapped = wrap(a.range.low, to);
  result.range =
      a.range.constant() ? Range{wrapped, wrapped} : range_or_full(a.range.low, a.range.high, to);
  if (result.range.constant()) result.trailing_zeros = zeros_of(result.range.low);
  return result;
}

LaneValues resize(const LaneValues& a, unsigned from, unsigned to, Extension how) {
  return from < to ? extend(a, from, to, how) : truncate(a, to);
}

}  // namespace emulator::lower
