// The parts that make lines, by themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "profile/line.h"
#include "profile/product.h"
#include "profile/range_text.h"
#include "profile/text_ids.h"

namespace recording {
namespace {

using ::testing::HasSubstr;

TEST(RecordLine, FieldsAreSeparatedByTabsAndItEnds) {
  std::array<char, 100> room{};
  EXPECT_EQ(Line(room, 'Q').number(std::uint64_t{0}).text("two words").done(), "Q\t0\ttwo words\n");
}

TEST(RecordLine, LargestAndSmallestNumbersAreWritten) {
  std::array<char, 100> room{};
  EXPECT_EQ(Line(room, 'Q')
                .number(std::numeric_limits<std::uint64_t>::max())
                .number(std::numeric_limits<std::int64_t>::min())
                .number(std::int64_t{-7})
                .done(),
            "Q\t18446744073709551615\t-9223372036854775808\t-7\n");
}

TEST(RecordLine, WhatDoesNotFitIsLeftOutAndTheLineStillEnds) {
  std::array<char, 8> room{};
  EXPECT_EQ(Line(room, 'Q').text("abcdefgh").number(std::uint64_t{12}).done(), "Q\tabcde\n");
  EXPECT_EQ(Line(room, 'Q').text("abcd\n").done(), "Q\tabcd\n");
}

TEST(RecordLine, CharacterIsKeptOrLeftOutWhole) {
  std::array<char, 8> room{};
  EXPECT_EQ(Line(room, 'Q').text("abcd\u03BC").done(), "Q\tabcd\n");
  EXPECT_EQ(Line(room, 'Q').text("abc\u03BC").done(), "Q\tabc\u03BC\n");
  std::array<char, 100> more{};
  EXPECT_EQ(Line(more, 'Q').text("abcdef", 3).done(), "Q\tabc\n");
}

TEST(TextIds, EqualTextsHaveOneNumber) {
  static TextIds ids{16};
  const TextIds::Id first = ids.of("a");
  EXPECT_EQ(first.number, 1U);
  EXPECT_TRUE(first.is_new);
  EXPECT_EQ(ids.of("b").number, 2U);
  const TextIds::Id again = ids.of("a");
  EXPECT_EQ(again.number, 1U);
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(ids.text_of(2), "b");
  EXPECT_EQ(ids.text_of(0), "");
  EXPECT_EQ(ids.text_of(3), "");
}

TEST(TextIds, ThousandsOfTextsAreFoundAgain) {
  static TextIds ids{1U << 14U};
  for (std::uint32_t number = 1; number <= 10'000; ++number) {
    ASSERT_EQ(ids.of("kernel number " + std::to_string(number)).number, number);
  }
  for (std::uint32_t number = 1; number <= 10'000; ++number) {
    ASSERT_EQ(ids.of("kernel number " + std::to_string(number)).number, number);
  }
}

TEST(TextIds, TextBeyondTheMostHasNoNumber) {
  static TextIds ids{2};
  EXPECT_EQ(ids.of("a").number, 1U);
  EXPECT_EQ(ids.of("b").number, 2U);
  EXPECT_EQ(ids.of("c").number, 0U);
  EXPECT_EQ(ids.of("a").number, 1U);
}

TEST(RangeText, WideTextBecomesUtf8) {
  EXPECT_EQ(RangeText(L"a\u00E9\u20AC\U0001F600").view(), "a\u00E9\u20AC\U0001F600");
}

TEST(RangeText, WideTextThatIsNoUnicodeIsReplaced) {
  const std::array wide = {static_cast<wchar_t>(0xD800), static_cast<wchar_t>(0x110000), L'\0'};
  EXPECT_EQ(RangeText(wide.data()).view(), "\uFFFD\uFFFD");
}

TEST(RangeText, LongTextIsCutBetweenCharacters) {
  const std::string text = std::string(kMostOfRange - 1, 'x') + "\u03BC";
  EXPECT_EQ(RangeText(text.c_str()).view(), std::string(kMostOfRange - 1, 'x'));
  const std::wstring wide = std::wstring(kMostOfRange - 1, L'x') + L"\u03BC";
  EXPECT_EQ(RangeText(wide.c_str()).view(), std::string(kMostOfRange - 1, 'x'));
}

TEST(RangeText, NoTextIsEmpty) {
  EXPECT_EQ(RangeText(static_cast<const char*>(nullptr)).view(), "");
  EXPECT_EQ(RangeText(static_cast<const wchar_t*>(nullptr)).view(), "");
}

std::string told(const Product& product) {
  std::array<char, kMostOfProduct> room{};
  return std::string(json_of(product, room));
}

TEST(RecordedProduct, FactorIsWrittenSoThatItIsReadBackExactly) {
  Product product;
  product.alpha = 0.1;
  product.beta = static_cast<double>(0.1F);
  EXPECT_THAT(told(product), HasSubstr(R"("alpha":0.10000000000000001,"beta":0.100000001})"));
}

TEST(RecordedProduct, FactorThatIsNoNumberIsNull) {
  Product product;
  product.alpha = std::numeric_limits<double>::quiet_NaN();
  product.beta = std::numeric_limits<double>::infinity();
  EXPECT_THAT(told(product), HasSubstr(R"("alpha":null,"beta":null})"));
}

TEST(RecordedProduct, TypeThatHasNoNameIsItsNumber) {
  Product product;
  product.a.type = 99;
  product.epilogue = 12345;
  product.d.order = 4;
  product.transpose_b = 9;
  EXPECT_THAT(told(product), HasSubstr(R"("a_type":"99")"));
  EXPECT_THAT(told(product), HasSubstr(R"("epilogue":"12345","order":"CCC?")"));
  EXPECT_THAT(told(product), HasSubstr(R"("transposes":"N?")"));
}

TEST(RecordedProduct, LargestProductFitsItsRoom) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::min();
  Product product;
  product.call = "cublasGemmStridedBatchedEx_64";
  product.m = product.n = product.k = product.batch = kMost;
  for (Matrix* const matrix : {&product.a, &product.b, &product.c, &product.d}) {
    *matrix = {.type = 30, .leading_dimension = kMost, .batch_stride = kMost, .order = 0};
  }
  product.compute_type = 79;
  product.epilogue = 8 | 16 | 128;
  product.alpha = product.beta = -1.2345678901234567e-300;
  EXPECT_TRUE(told(product).ends_with("}"));
}

TEST(RecordedFactor, HalfPrecisionsAreRead) {
  const auto half = [](std::uint16_t bits) { return factor_at(&bits, blas::kR16F); };
  EXPECT_EQ(half(0x3C00), 1);
  EXPECT_EQ(half(0xC100), -2.5);
  EXPECT_EQ(half(0x7BFF), 65504);
  EXPECT_EQ(half(0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(half(0x0400), std::ldexp(1.0, -14));
  EXPECT_TRUE(std::isnan(half(0x7C01)));
  const std::uint16_t bfloat = 0x3F80;
  EXPECT_EQ(factor_at(&bfloat, blas::kR16BF), 1);
  const std::int32_t integer = -3;
  EXPECT_EQ(factor_at(&integer, blas::kR32I), -3);
  EXPECT_TRUE(std::isnan(factor_at(nullptr, blas::kR32F)));
}

}  // namespace
}  // namespace recording
