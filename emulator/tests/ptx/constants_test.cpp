#include "ptx/constants.h"

#include <gtest/gtest.h>

#include <bit>

#include "ptx/parsing.h"

namespace emulator::ptx::testing {
namespace {

// The one immediate operand that the text is.
Immediate immediate(const std::string& text) {
  return std::get<Immediate>(parse_operand("mov.b64 %rd0, " + text + ";", 1).value);
}

std::uint64_t integer(const std::string& text) {
  const Immediate value = immediate(text);
  EXPECT_EQ(value.form, Immediate::Form::integer);
  return value.bits;
}

std::int64_t signed_integer(const std::string& text) {
  return static_cast<std::int64_t>(integer(text));
}

double decimal(const std::string& text) {
  const Immediate value = immediate(text);
  EXPECT_EQ(value.form, Immediate::Form::f64);
  return std::bit_cast<double>(value.bits);
}

std::string error_of_constant(const std::string& text) {
  return error_of_body("mov.b64 %rd0, " + text + ";");
}

TEST(Literal, DecimalIsRead) { EXPECT_EQ(integer("1234567890123"), 1234567890123U); }
TEST(Literal, ZeroIsRead) { EXPECT_EQ(integer("0"), 0U); }
TEST(Literal, HexadecimalIsRead) { EXPECT_EQ(integer("0xFFeeDD"), 0xFFEEDDU); }
TEST(Literal, HexadecimalMayBeginWithCapitalX) { EXPECT_EQ(integer("0XFF"), 255U); }
TEST(Literal, HexadecimalMayContainTheLetterE) { EXPECT_EQ(integer("0x1E5"), 0x1E5U); }
TEST(Literal, OctalIsRead) { EXPECT_EQ(integer("017"), 15U); }
TEST(Literal, BinaryIsRead) { EXPECT_EQ(integer("0b1011"), 11U); }
TEST(Literal, UnsignedSuffixIsRead) { EXPECT_EQ(integer("7U"), 7U); }
TEST(Literal, HexadecimalWithUnsignedSuffixIsRead) { EXPECT_EQ(integer("0x10U"), 16U); }
TEST(Literal, NegativeIsRead) { EXPECT_EQ(signed_integer("-2147483648"), -2147483648); }

TEST(Literal, TheLargestUnsignedNumberIsRead) {
  EXPECT_EQ(integer("18446744073709551615"), 18446744073709551615U);
}

TEST(Literal, SinglePrecisionKeepsItsBits) {
  const Immediate value = immediate("0f3F800000");
  EXPECT_EQ(value.form, Immediate::Form::f32);
  EXPECT_EQ(value.bits, 0x3F800000U);
}

TEST(Literal, SinglePrecisionMayBeginWithCapitalF) {
  EXPECT_EQ(immediate("0F7f800000").bits, 0x7F800000U);
}

TEST(Literal, DoublePrecisionKeepsItsBits) {
  const Immediate value = immediate("0d3FF0000000000001");
  EXPECT_EQ(value.form, Immediate::Form::f64);
  EXPECT_EQ(value.bits, 0x3FF0000000000001U);
}

TEST(Literal, DecimalFractionIsDoublePrecision) { EXPECT_EQ(decimal("1.5"), 1.5); }
TEST(Literal, AFractionMayBeginOrEndWithItsPoint) {
  EXPECT_EQ(decimal(".25"), 0.25);
  EXPECT_EQ(decimal("-.5e1"), -5.0);
  EXPECT_EQ(decimal("3."), 3.0);
}
TEST(Literal, ExponentIsRead) { EXPECT_EQ(decimal("25e-1"), 2.5); }
TEST(Literal, FractionWithExponentIsRead) { EXPECT_EQ(decimal("1.25E+2"), 125.0); }
TEST(Literal, NegativeFractionIsRead) { EXPECT_EQ(decimal("-0.5"), -0.5); }
TEST(Literal, WarpSizeIsAConstant) { EXPECT_EQ(integer("WARP_SZ"), 32U); }

TEST(Literal, SinglePrecisionWithTooFewDigitsIsRefused) {
  EXPECT_EQ(error_of_constant("0f3F80"), "line 6, column 15: malformed number '0f3F80'");
}

TEST(Literal, DoublePrecisionWithTooManyDigitsIsRefused) {
  EXPECT_EQ(error_of_constant("0d3FF00000000000000"),
            "line 6, column 15: malformed number '0d3FF00000000000000'");
}

TEST(Literal, OctalWithADigitEightIsRefused) {
  EXPECT_EQ(error_of_constant("08"), "line 6, column 15: malformed number '08'");
}

TEST(Literal, LowerCaseSuffixIsRefused) {
  EXPECT_EQ(error_of_constant("5u"), "line 6, column 15: malformed number '5u'");
}

TEST(Literal, PrefixWithoutDigitsIsRefused) {
  EXPECT_EQ(error_of_constant("0x"), "line 6, column 15: malformed number '0x'");
}

TEST(Literal, NumberBeyond64BitsIsRefused) {
  EXPECT_EQ(error_of_constant("18446744073709551616"),
            "line 6, column 15: number '18446744073709551616' does not fit in 64 bits");
}

TEST(Literal, FractionBeyondTheRangeOfF64IsRefused) {
  EXPECT_EQ(error_of_constant("1.0e999"),
            "line 6, column 15: number '1.0e999' is beyond the range of f64");
}

TEST(Expression, MultiplicationBindsTighterThanAddition) { EXPECT_EQ(integer("2+3*4"), 14U); }
TEST(Expression, ParenthesesGroup) { EXPECT_EQ(integer("(2+3)*4"), 20U); }
TEST(Expression, SubtractionGroupsFromTheLeft) { EXPECT_EQ(signed_integer("10-4-3"), 3); }
TEST(Expression, DivisionOfSignedNumbersRoundsTowardsZero) {
  EXPECT_EQ(signed_integer("-7/2"), -3);
}
TEST(Expression, RemainderTakesTheSignOfTheDividend) { EXPECT_EQ(signed_integer("-7 % 4"), -3); }
TEST(Expression, BitwiseOperatorsBindAsInC) {
  EXPECT_EQ(integer("0xF0 & 0xCC | ~0xAA & 0xff ^ 1"), 0xD4U);
}
TEST(Expression, ShiftLeftBindsWeakerThanAddition) { EXPECT_EQ(integer("1 << 2 + 1"), 8U); }
TEST(Expression, ShiftRightOfASignedNumberKeepsTheSign) {
  EXPECT_EQ(signed_integer("-8 >> 1"), -4);
}
TEST(Expression, ShiftRightOfAnUnsignedNumberBringsZeros) {
  EXPECT_EQ(integer("0x8000000000000000 >> 63"), 1U);
}
TEST(Expression, ShiftByMoreThanTheWidthGivesZero) { EXPECT_EQ(integer("1 << 64"), 0U); }
TEST(Expression, ComparisonIsOneOrZero) { EXPECT_EQ(integer("(3 >= 2) + (3 == 2)"), 1U); }
TEST(Expression, ComparisonWithAnUnsignedNumberIsUnsigned) { EXPECT_EQ(integer("-1 < 1U"), 0U); }
TEST(Expression, LogicalOperatorsAreOneOrZero) { EXPECT_EQ(integer("5 && 3 || 0"), 1U); }
TEST(Expression, NotIsOneForZero) { EXPECT_EQ(integer("!0 + !7"), 1U); }
TEST(Expression, ConditionalChoosesTheFirst) { EXPECT_EQ(integer("3 > 2 ? 4 : 5"), 4U); }
TEST(Expression, ConditionalNestsInItsSecondBranch) { EXPECT_EQ(integer("0 ? 1 : 0 ? 2 : 3"), 3U); }
TEST(Expression, CastToSignedChangesTheComparison) {
  EXPECT_EQ(integer("(.s64)0xFFFFFFFFFFFFFFFF < 1"), 1U);
}
TEST(Expression, CastToUnsignedChangesTheComparison) { EXPECT_EQ(integer("(.u64)-1 < 1"), 0U); }
TEST(Expression, TheQuotientThatDoesNotFitWraps) {
  EXPECT_EQ(integer("(.s64)0x8000000000000000 / -1"), 0x8000000000000000U);
}
TEST(Expression, DecimalNumbersAreComputedInDoublePrecision) {
  EXPECT_EQ(decimal("(1.5 + 2.0) * 2.0 - 1.0 / 4.0"), 6.75);
}

TEST(Expression, DivisionByZeroIsRefusedAtTheOperator) {
  EXPECT_EQ(error_of_constant("1 / 0"),
            "line 6, column 17: division by zero in a constant expression");
}

TEST(Expression, RemainderByZeroIsRefused) {
  EXPECT_EQ(error_of_constant("1 % 0"),
            "line 6, column 17: division by zero in a constant expression");
}

TEST(Expression, FloatingDivisionByZeroIsRefused) {
  EXPECT_EQ(error_of_constant("1.0 / 0.0"),
            "line 6, column 19: division by zero in a constant expression");
}

TEST(Expression, MixingIntegersAndDecimalNumbersIsRefused) {
  EXPECT_EQ(error_of_constant("1 + 2.0"),
            "line 6, column 17: this operator needs two integers or two decimal numbers");
}

TEST(Expression, ComplementOfADecimalNumberIsRefused) {
  EXPECT_EQ(error_of_constant("~1.0"), "line 6, column 15: this operator needs integers");
}

TEST(Expression, AnUnclosedParenthesisIsRefused) {
  EXPECT_EQ(error_of_constant("(1"), "line 6, column 17: expected ')' but found ';'");
}

TEST(Expression, NestingWithoutEndIsRefused) {
  EXPECT_EQ(error_of_constant(std::string(100000, '(')),
            "line 6, column 115: a constant expression is nested too deeply");
}

TEST(Expression, SignsWithoutEndAreRefused) {
  EXPECT_EQ(error_of_constant(std::string(100000, '-') + "1"),
            "line 6, column 214: a constant expression is nested too deeply");
}

}  // namespace
}  // namespace emulator::ptx::testing
