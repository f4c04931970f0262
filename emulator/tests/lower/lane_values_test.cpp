#include "lower/lane_values.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace emulator::lower {
namespace {

constexpr unsigned kBits = 8;  // narrow enough to try every scalar

// What a register of kBits holds in each lane when its scalar is `scalar`.
std::vector<std::uint8_t> lanes(const LaneValues& lane_values, std::int64_t scalar) {
  std::vector<std::uint8_t> values;
  for (const std::int64_t offset : lane_values.offset)
    values.push_back(static_cast<std::uint8_t>(scalar + offset));
  return values;
}

LaneValues affine(Range range, unsigned zeros, std::int64_t stride) {
  LaneValues lane_values = LaneValues::uniform(range, zeros);
  for (std::size_t lane = 0; lane < lane_values.offset.size(); ++lane) {
    lane_values.offset[lane] = static_cast<std::int64_t>(lane) * stride;
  }
  return lane_values;
}

std::vector<std::int64_t> scalars(const LaneValues& lane_values) {
  std::vector<std::int64_t> all;
  for (std::int64_t s = lane_values.range.low; s <= lane_values.range.high; ++s) {
    const bool multiple = lane_values.trailing_zeros >= 8
                              ? s == 0
                              : (s & ((1 << lane_values.trailing_zeros) - 1)) == 0;
    if (multiple) all.push_back(s);
  }
  return all;
}

std::vector<LaneValues> samples() {
  return {affine({0, 0}, 64, 1),  affine({0, 96}, 5, 1),   affine({-128, 127}, 0, 1),
          affine({0, 15}, 0, 0),  affine({-64, 63}, 0, 0), affine({3, 3}, 0, 2),
          affine({0, 64}, 4, 0),  LaneValues::constant(5), LaneValues::constant(-16),
          affine({0, 32}, 5, -1), LaneValues::constant(0)};
}

// Holds `combined` against the operation done lane by lane: where it is affine, the scalar
// operation plus the result's offsets must give what the lanes give, and its range and zeros must
// cover the scalar.
template <typename Scalar>
void expect_sound(const LaneValues& a, const LaneValues& b, const LaneValues& combined,
                  Scalar scalar) {
  if (combined.kind != LaneValues::Kind::affine) return;
  for (const std::int64_t x : scalars(a)) {
    for (const std::int64_t y : scalars(b)) {
      const auto result = static_cast<std::int8_t>(
          scalar(static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y)));
      ASSERT_GE(result, combined.range.low);
      ASSERT_LE(result, combined.range.high);
      const auto got = lanes(combined, result);
      const auto left = lanes(a, x);
      const auto right = lanes(b, y);
      for (std::size_t lane = 0; lane < got.size(); ++lane) {
        ASSERT_EQ(got[lane], static_cast<std::uint8_t>(scalar(left[lane], right[lane])))
            << "scalars " << x << ", " << y << ", lane " << lane;
      }
    }
  }
}

using Byte = std::uint8_t;

TEST(LaneValues, SumsOfAffineFormsAreWhatTheLanesAdd) {
  for (const LaneValues& a : samples()) {
    for (const LaneValues& b : samples()) {
      expect_sound(a, b, add(a, b, kBits), [](Byte x, Byte y) { return x + y; });
    }
  }
}

TEST(LaneValues, DifferencesOfAffineFormsAreWhatTheLanesSubtract) {
  for (const LaneValues& a : samples()) {
    for (const LaneValues& b : samples()) {
      expect_sound(a, b, subtract(a, b, kBits), [](Byte x, Byte y) { return x - y; });
    }
  }
}

TEST(LaneValues, ProductsThatStayAffineAreWhatTheLanesMultiply) {
  for (const LaneValues& a : samples()) {
    for (const LaneValues& b : samples()) {
      expect_sound(a, b, multiply(a, b, kBits), [](Byte x, Byte y) { return x * y; });
    }
  }
}

TEST(LaneValues, MaskedAffineFormsAreWhatTheLanesMask) {
  for (const LaneValues& a : samples()) {
    for (const LaneValues& b : samples()) {
      expect_sound(a, b, bit_and(a, b, kBits), [](Byte x, Byte y) { return x & y; });
    }
  }
}

TEST(LaneValues, UnitedAffineFormsAreWhatTheLanesOr) {
  for (const LaneValues& a : samples()) {
    for (const LaneValues& b : samples()) {
      expect_sound(a, b, bit_or(a, b, kBits), [](Byte x, Byte y) { return x | y; });
    }
  }
}

TEST(LaneValues, UnsignedShiftsAreWhatTheLanesShift) {
  for (const LaneValues& a : samples()) {
    for (std::int64_t by = 0; by < kBits; ++by) {
      const LaneValues amount = LaneValues::constant(by);
      expect_sound(a, amount, shift_right(a, amount, kBits, false),
                   [](Byte x, Byte y) { return x >> y; });
      expect_sound(a, amount, shift_left(a, amount, kBits), [](Byte x, Byte y) { return x << y; });
    }
  }
}

TEST(LaneValues, SignedShiftsAreWhatTheLanesShift) {
  for (const LaneValues& a : samples()) {
    for (std::int64_t by = 0; by < kBits; ++by) {
      const LaneValues amount = LaneValues::constant(by);
      expect_sound(a, amount, shift_right(a, amount, kBits, true),
                   [](Byte x, Byte y) { return static_cast<std::int8_t>(x) >> y; });
    }
  }
}

TEST(LaneValues, NothingIsTakenForZeroThatTheScalarIsNot) {
  // Lanes of 0 to 31, counted down from 32: what is shifted is the scalar, too.
  LaneValues index = affine({32, 32}, 5, -1);
  for (std::int64_t& offset : index.offset) --offset;
  EXPECT_NE(shift_right(index, LaneValues::constant(5), 32, false), LaneValues::constant(0));
}

TEST(LaneValues, ABitAboveAllOffsetsIsKept) {
  for (const unsigned bit : {61U, 62U}) {
    const std::int64_t mask = std::int64_t{1} << bit;
    const LaneValues number =
        add(LaneValues::uniform(full_range(64), bit), affine({0, 0}, 64, 1), 64);
    EXPECT_GE(bit_and(number, LaneValues::constant(mask), 64).range.high, mask) << bit;
    EXPECT_NE(bit_or(LaneValues::uniform(full_range(64), bit), LaneValues::constant(mask), 64).kind,
              LaneValues::Kind::vector);
    EXPECT_EQ(
        bit_or(LaneValues::uniform(full_range(64), bit), LaneValues::constant(mask), 64).range,
        full_range(64));
  }
}

TEST(LaneValues, ANarrowResultInAWideRegisterIsAnyNumberUnlessItIsPositive) {
  const LaneValues negative = LaneValues::uniform(Range{-1, 5});
  EXPECT_EQ(resize(negative, 16, 32, Extension::either).range, full_range(32));
  EXPECT_EQ(resize(negative, 16, 32, Extension::zeros).range, (Range{0, 65535}));
  EXPECT_EQ(resize(negative, 16, 32, Extension::sign).range, (Range{-1, 5}));
  EXPECT_EQ(resize(LaneValues::uniform(Range{1, 5}), 16, 32, Extension::either).range,
            (Range{1, 5}));
}

TEST(LaneValues, AConstantThatIsCutOffStaysOne) {
  EXPECT_EQ(truncate(LaneValues::constant(0x1ff), 8), LaneValues::constant(-1));
  EXPECT_EQ(truncate(LaneValues::constant(0x100), 8), LaneValues::constant(0));
}

TEST(LaneValues, AnIndexThatMayWrapIsNotExtendedAsAffine) {
  const LaneValues index = affine({-128, 127}, 0, 1);
  EXPECT_TRUE(extend(index, kBits, 64, Extension::sign).is_vector());
  EXPECT_TRUE(extend(index, kBits, 64, Extension::sign).guess);
}

TEST(LaneValues, AnIndexThatCannotWrapStaysAffineWhenExtended) {
  const LaneValues index = affine({0, 64}, 0, 1);
  EXPECT_EQ(extend(index, kBits, 64, Extension::sign).kind, LaneValues::Kind::affine);
  EXPECT_EQ(extend(index, kBits, 64, Extension::sign).offset, index.offset);
}

TEST(LaneValues, JoiningDifferentOffsetsGivesAVector) {
  EXPECT_TRUE(join(affine({0, 0}, 0, 1), affine({0, 0}, 0, 2)).is_vector());
}

TEST(LaneValues, JoiningEqualOffsetsCoversBothRanges) {
  const LaneValues joined = join(affine({0, 8}, 3, 1), affine({16, 32}, 4, 1));
  EXPECT_EQ(joined.range, (Range{0, 32}));
  EXPECT_EQ(joined.trailing_zeros, 3U);
}

TEST(LaneValues, TheThreadIndexOfARowOfThreadsIsAffine) {
  // Threads 0 to 255 in eight warps: 32 * warp + lane.
  const LaneValues index = affine({0, 224}, 5, 1);
  const LaneValues column = bit_and(index, LaneValues::constant(15), 32);
  EXPECT_EQ(column.range, (Range{0, 0}));
  EXPECT_EQ(column.offset[17], 1);
  const LaneValues row = shift_right(index, LaneValues::constant(4), 32, false);
  EXPECT_EQ(row.kind, LaneValues::Kind::affine);
  EXPECT_EQ(row.offset[17], 1);
}

TEST(LaneValues, TheSignOfAnIndexThatIsNotNegativeIsZero) {
  const LaneValues index = affine({0, 224}, 5, 1);
  EXPECT_EQ(shift_right(index, LaneValues::constant(31), 32, true), LaneValues::constant(0));
}

}  // namespace
}  // namespace emulator::lower
