#include "programs/capture/numbers.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

namespace autokernel::programs {
namespace {

using cases::DType;

[[nodiscard]] Bytes bytes_of(const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
[[nodiscard]] Bytes bytes_of_word(std::uint16_t word) {
  Bytes bytes(sizeof word);
  std::memcpy(bytes.data(), &word, sizeof word);
  return bytes;
}

TEST(Numbers, AreThoseOfTheirType) {
  EXPECT_EQ(value_at(DType::f32, bytes_of({1, -2.5F}), 1), -2.5);
  EXPECT_EQ(value_at(DType::bf16, bytes_of_word(0xc020), 0), -2.5);
  EXPECT_EQ(value_at(DType::f16, bytes_of_word(0xc100), 0), -2.5);
  EXPECT_EQ(value_at(DType::f16, bytes_of_word(0x0001), 0), 0x1p-24);
  EXPECT_TRUE(std::isinf(value_at(DType::f16, bytes_of_word(0x7c00), 0)));
  EXPECT_TRUE(std::isnan(value_at(DType::f16, bytes_of_word(0x7c01), 0)));
}

TEST(Numbers, AreFiniteOrNot) {
  EXPECT_TRUE(are_finite(DType::f32, bytes_of({1, 2})));
  EXPECT_FALSE(are_finite(DType::f32, bytes_of({1, INFINITY})));
  EXPECT_FALSE(are_finite(DType::f16, bytes_of_word(0xfc00)));
  EXPECT_TRUE(are_finite(DType::i32, bytes_of({NAN})));
}

TEST(Moves, AreByOnePlaceAndTheFirstTwoToOneSide) {
  const std::vector<float> values = {1, -1, 3.5F, -1e-20F, 0, INFINITY};
  for (unsigned number = 0; number < kMoves; ++number) {
    Bytes moved = bytes_of(values);
    move_by_one_place(DType::f32, moved, number);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double is = value_at(DType::f32, moved, i);
      if (values[i] == 0 || std::isinf(values[i])) {
        EXPECT_EQ(is, values[i]);
        continue;
      }
      const float up = std::nextafter(values[i], INFINITY);
      const float down = std::nextafter(values[i], -INFINITY);
      EXPECT_TRUE((is == up && number != 1) || (is == down && number != 0)) << values[i];
    }
  }
}

TEST(Moves, MakeNoInfinity) {
  Bytes largest = bytes_of({std::numeric_limits<float>::max()});
  move_by_one_place(DType::f32, largest, 0);
  EXPECT_TRUE(are_finite(DType::f32, largest));
}

TEST(Moves, LeaveWholeNumbersAlone) {
  const Bytes before = bytes_of({1, 2, 3});
  Bytes moved = before;
  move_by_one_place(DType::i32, moved, 3);
  EXPECT_EQ(moved, before);
}

TEST(Draws, AreOtherPlacesOfWholeNumbers) {
  std::vector<float> values;
  for (int i = 0; i < 500; ++i) values.push_back(static_cast<float>(i));
  const Bytes before = bytes_of(values);
  Bytes drawn = before;
  make_anew(DType::i32, cases::CapturedUse::drawn, drawn, 1);
  EXPECT_NE(drawn, before);
  const std::set<float> known(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(known.contains(static_cast<float>(value_at(DType::f32, drawn, i))));
  }
}

}  // namespace
}  // namespace autokernel::programs
