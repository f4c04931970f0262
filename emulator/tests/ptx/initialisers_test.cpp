#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/parsing.h"

namespace emulator::ptx::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Bytes = std::vector<std::uint8_t>;

Variable variable(const std::string& text) { return parse_module(text).variables.back(); }

TEST(Initialiser, NoneLeavesTheBytesEmpty) {
  EXPECT_THAT(variable(".global .u32 x;").initial, IsEmpty());
}

TEST(Initialiser, ANumberIsStoredLowByteFirst) {
  EXPECT_THAT(variable(".global .u32 x = 0x01020304;").initial, ElementsAre(4, 3, 2, 1));
}

TEST(Initialiser, ANegativeNumberIsStoredInTwosComplement) {
  EXPECT_THAT(variable(".global .s16 x = -2;").initial, ElementsAre(0xFE, 0xFF));
}

TEST(Initialiser, AnArrayIsFilledWithZerosToItsSize) {
  EXPECT_THAT(variable(".global .b8 x[5] = {1, 2};").initial, ElementsAre(1, 2, 0, 0, 0));
}

TEST(Initialiser, EmptyBracesGiveZeros) {
  EXPECT_THAT(variable(".global .b8 x[2] = {};").initial, ElementsAre(0, 0));
}

TEST(Initialiser, AnOpenArrayTakesItsSizeFromTheValues) {
  const Variable x = variable(".global .u16 x[] = {1, 2, 3};");
  EXPECT_EQ(x.size, 6U);
  EXPECT_THAT(x.initial, ElementsAre(1, 0, 2, 0, 3, 0));
}

TEST(Initialiser, NestedBracesFillRows) {
  EXPECT_THAT(variable(".global .b8 x[2][3] = {{1}, {4, 5}};").initial,
              ElementsAre(1, 0, 0, 4, 5, 0));
}

TEST(Initialiser, RowsWithoutBracesAreRefused) {
  EXPECT_EQ(error_of_module(".global .b8 x[2][3] = {1, 2};"),
            "line 4, column 24: expected '{' but found '1'");
}

TEST(Initialiser, BracesAroundAScalarVariableAreRefused) {
  EXPECT_EQ(error_of_module(".global .b8 x = {1};"),
            "line 4, column 17: braces around what is no array");
}

TEST(Initialiser, AnIntegerInAFloatVariableIsRefused) {
  EXPECT_EQ(error_of_module(".global .f32 x = 1;"),
            "line 4, column 18: an integer cannot be the initial value of this type");
}

TEST(Initialiser, AnUntypedVariableTakesADecimalNumber) {
  EXPECT_THAT(variable(".const .b32 x = 1.0;").initial, ElementsAre(0, 0, 0x80, 0x3F));
}

TEST(Initialiser, ANumberTooLargeForItsVariableIsCut) {
  EXPECT_THAT(variable(".global .u8 x = 300;").initial, ElementsAre(44));
}

TEST(Initialiser, AnOpenArrayOfRowsGetsWholeRows) {
  const Variable x = variable(".global .b8 x[][2] = {{1}, {2}};");
  EXPECT_EQ(x.size, 4U);
  EXPECT_THAT(x.initial, ElementsAre(1, 0, 2, 0));
}

TEST(Initialiser, AVectorIsFilledLikeAnArray) {
  EXPECT_THAT(variable(".global .v2 .u8 x[2] = {{1, 2}, {3, 4}};").initial,
              ElementsAre(1, 2, 3, 4));
}

TEST(Initialiser, SinglePrecisionIsStoredAsItsBits) {
  EXPECT_THAT(variable(".const .f32 x = 0f3F800000;").initial, ElementsAre(0, 0, 0x80, 0x3F));
}

TEST(Initialiser, ADecimalNumberIsRoundedToTheVariablesType) {
  EXPECT_THAT(variable(".const .f32 x = 1.0;").initial, ElementsAre(0, 0, 0x80, 0x3F));
}

TEST(Initialiser, DoublePrecisionIsStoredAsItsBits) {
  EXPECT_THAT(variable(".const .f64 x = 0d3FF0000000000000;").initial,
              ElementsAre(0, 0, 0, 0, 0, 0, 0xF0, 0x3F));
}

TEST(Initialiser, AnUntypedVariableTakesAFloatOfItsWidth) {
  EXPECT_THAT(variable(".const .b32 x = 0f3F800000;").initial, ElementsAre(0, 0, 0x80, 0x3F));
}

TEST(Initialiser, ASymbolIsARelocation) {
  const Variable x = variable(".global .u32 y; .global .u64 x[3] = {7, y, 9};");
  ASSERT_EQ(x.relocations.size(), 1U);
  EXPECT_EQ(x.relocations[0].offset, 8U);
  EXPECT_EQ(x.relocations[0].symbol, "y");
  EXPECT_EQ(x.relocations[0].addend, 0);
  EXPECT_FALSE(x.relocations[0].generic);
  EXPECT_EQ(x.initial.size(), 24U);
}

TEST(Initialiser, ASymbolMayHaveAnOffset) {
  EXPECT_EQ(variable(".global .u32 y; .global .u64 x = y+12;").relocations.at(0).addend, 12);
}

TEST(Initialiser, AGenericAddressIsMarkedAsOne) {
  const Variable x = variable(".global .u32 y; .global .u64 x = generic(y)+4;");
  EXPECT_TRUE(x.relocations.at(0).generic);
  EXPECT_EQ(x.relocations.at(0).addend, 4);
}

TEST(Initialiser, ASymbolMayBeDeclaredFurtherDown) {
  EXPECT_EQ(parse_module(".global .u64 x = later; .global .u32 later;").variables.size(), 2U);
}

TEST(Initialiser, AFunctionMayBeASymbol) {
  EXPECT_EQ(variable(".func f; .global .u64 x = f;").relocations.at(0).symbol, "f");
}

TEST(Initialiser, TheBytesOfAnAddressAreOneRelocation) {
  const Variable x = variable(
      ".global .u32 y; .global .u8 x[10] = {1, 0XFF(generic(y)+4), 0xFF00(generic(y)+4), "
      "0xFF0000(generic(y)+4), 0xFF000000(generic(y)+4), 0xFF00000000(generic(y)+4), "
      "0xFF0000000000(generic(y)+4), 0xFF000000000000(generic(y)+4), "
      "0xFF00000000000000(generic(y)+4), 2};");
  ASSERT_EQ(x.relocations.size(), 1U);
  EXPECT_EQ(x.relocations[0].offset, 1U);
  EXPECT_EQ(x.relocations[0].addend, 4);
  EXPECT_TRUE(x.relocations[0].generic);
  EXPECT_EQ(x.initial, (Bytes{1, 0, 0, 0, 0, 0, 0, 0, 0, 2}));
}

TEST(Initialiser, PartOfAnAddressIsRefused) {
  EXPECT_EQ(error_of_module(".global .u32 y; .global .u8 x[2] = {0xFF(y), 3};"),
            "line 4, column 46: only all pieces of one address, lowest first, are supported by the "
            "emulator");
}

TEST(Initialiser, AnUndefinedSymbolIsRefused) {
  EXPECT_EQ(error_of_module(".global .u64 x[1] = {\n  nowhere};"),
            "line 5, column 3: undefined name 'nowhere'");
}

TEST(Initialiser, AnAddressInANarrowVariableIsRefused) {
  EXPECT_EQ(error_of_module(".global .u32 y; .global .u32 x = y;"),
            "line 4, column 34: an address needs a variable of a 64-bit type");
}

TEST(Initialiser, TooManyValuesAreRefused) {
  EXPECT_EQ(error_of_module(".global .b8 x[2] = {1, 2, 3};"),
            "line 4, column 27: too many initial values for 'x'");
}

TEST(Initialiser, TooManyRowsAreRefused) {
  EXPECT_EQ(error_of_module(".global .b8 x[1][2] = {{1}, {2}};"),
            "line 4, column 29: too many initial values for 'x'");
}

TEST(Initialiser, BracesAroundAScalarElementAreRefused) {
  EXPECT_EQ(error_of_module(".global .b8 x[2] = {{1}};"),
            "line 4, column 21: braces around what is no array");
}

TEST(Initialiser, AnArrayWithoutBracesIsRefused) {
  EXPECT_EQ(error_of_module(".global .b8 x[2] = 1;"),
            "line 4, column 20: expected '{' but found '1'");
}

TEST(Initialiser, AFloatInAnIntegerVariableIsRefused) {
  EXPECT_EQ(error_of_module(".global .u32 x = 1.0;"),
            "line 4, column 18: a floating-point number cannot be the initial value of this type");
}

TEST(Initialiser, SharedVariablesHaveNoInitialValue) {
  EXPECT_EQ(error_of_module(".shared .u32 x = 1;"),
            "line 4, column 16: only .global and .const variables can have initial values");
}

TEST(Initialiser, UnclosedBracesAreRefusedWhereTheyOpen) {
  EXPECT_EQ(error_of_module(".global .b8 x[2] = {1"), "line 4, column 20: '{' is not closed");
}

}  // namespace
}  // namespace emulator::ptx::testing
