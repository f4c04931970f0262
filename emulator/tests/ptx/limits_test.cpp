#include <gtest/gtest.h>

#include "ptx/parsing.h"

namespace emulator::ptx::testing {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST(Limit, AMillionRegistersAreEnoughForAFunction) {
  EXPECT_EQ(error_of_body(".reg .b32 %x<1000001>;"),
            "line 6, column 11: a function has more than 1000000 registers");
}

TEST(Limit, ARangeCannotOverflowTheCount) {
  EXPECT_EQ(error_of_body(".reg .b32 %x<18446744073709551615>;"),
            "line 6, column 11: a function has more than 1000000 registers");
}

TEST(Limit, RegistersOfAllFunctionsTogetherAreLimited) {
  std::string text;
  for (int i = 0; i < 3; ++i) {
    text += ".func f" + std::to_string(i) + "() { .reg .b32 %x<900000>; }\n";
  }
  EXPECT_EQ(error_of_module(text), "line 6, column 24: the module has too many registers");
}

TEST(Limit, ALongNameIsNotRepeatedForEachRegister) {
  EXPECT_EQ(error_of_body(".reg .b32 " + std::string(300, 'x') + "<1000>;"),
            "line 6, column 11: the name of a range of registers is too long");
}

TEST(Limit, SizesCannotOverflow) {
  EXPECT_EQ(error_of_module(".global .b64 x[1000000000][1000000000][1000000000];"),
            "line 4, column 14: 'x' is larger than 1099511627776 bytes");
}

TEST(Limit, SizesOfOpenArraysCannotOverflow) {
  EXPECT_EQ(error_of_module(".extern .global .b64 x[][1000000000][1000000000];"),
            "line 4, column 22: 'x' is larger than 1099511627776 bytes");
}

TEST(Limit, AVariableMayBeLargeWhereNothingIsStored) {
  EXPECT_EQ(parse_module(".global .b8 x[1000000000000];").variables.at(0).size, 1000000000000U);
}

TEST(Limit, InitialBytesAreLimited) {
  EXPECT_EQ(error_of_module(".global .b8 x[1000000000] = {1};"),
            "line 4, column 13: the module has too many bytes of initial values");
}

TEST(Limit, InitialBytesOfOpenArraysAreLimited) {
  EXPECT_EQ(error_of_module(".global .b8 x[][1000000000] = {{1}};"),
            "line 4, column 13: the module has too many bytes of initial values");
}

TEST(Limit, DimensionsAreLimited) {
  EXPECT_EQ(error_of_module(".global .b8 x" + repeated("[1]", 1000) + ";"),
            "line 4, column 62: an array has more than 16 dimensions");
}

TEST(Limit, BranchTargetsAreLimited) {
  const std::string table = "T: .branchtargets A" + repeated(",A", 9999) + ";\n";
  EXPECT_EQ(error_of_body("A: ret;\n" + table + repeated("brx.idx %r0, T;\n", 101)),
            "line 8, column 14: the module has too many branch targets");
}

TEST(Limit, AMegabyteOfStatementsIsRead) {
  EXPECT_EQ(parse_body(repeated("add.s32 %r0, %r1, %r2;\n", 50000)).body.size(), 50000U);
}

}  // namespace
}  // namespace emulator::ptx::testing
