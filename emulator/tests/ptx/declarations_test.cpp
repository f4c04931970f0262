#include <gtest/gtest.h>

#include "ptx/parsing.h"

namespace emulator::ptx::testing {
namespace {

Variable variable(const std::string& text) { return parse_module(text).variables.at(0); }

TEST(Declaration, GivesNameSpaceAndType) {
  const Variable x = variable(".global .u32 x;");
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.space, Space::global);
  EXPECT_EQ(x.type, Type::u32);
  EXPECT_EQ(x.size, 4U);
}

TEST(Declaration, WithoutAlignmentHasTheNaturalOne) {
  EXPECT_EQ(variable(".const .f64 x;").alignment, 8U);
}

TEST(Declaration, OfAVectorHasTheVectorsSizeAndAlignment) {
  const Variable x = variable(".global .v4 .f32 x;");
  EXPECT_EQ(x.size, 16U);
  EXPECT_EQ(x.alignment, 16U);
}

TEST(Declaration, WrittenAlignmentIsKept) {
  EXPECT_EQ(variable(".shared .align 128 .b8 x[3];").alignment, 128U);
}

TEST(Declaration, ArraySizesMultiply) {
  EXPECT_EQ(variable(".global .u16 x[3][4][5];").size, 120U);
}

TEST(Declaration, AnArraySizeMayBeAnExpression) {
  EXPECT_EQ(variable(".global .b8 x[4*8+1];").size, 33U);
}

TEST(Declaration, OfATextureIsRefusedAsOne) {
  EXPECT_EQ(error_of_module(".global .texref image;"),
            "line 4, column 9: textures and surfaces are not supported by the emulator");
}

TEST(Declaration, OneDirectiveMayDeclareSeveralVariables) {
  const Module module = parse_module(".global .u32 a, b[2], c = 3;");
  ASSERT_EQ(module.variables.size(), 3U);
  EXPECT_EQ(module.variables[1].size, 8U);
  EXPECT_EQ(module.variables[2].initial.at(0), 3U);
}

TEST(Declaration, ExternArrayMayBeUnsized) {
  const Variable x = variable(".extern .shared .align 16 .b8 x[];");
  EXPECT_TRUE(x.external);
  EXPECT_EQ(x.size, 0U);
  EXPECT_EQ(x.alignment, 16U);
}

TEST(Declaration, VisibleWeakAndCommonVariablesAreNotExternal) {
  const Module module =
      parse_module(".visible .global .b8 a; .weak .global .b8 b; .common .global .b8 c;");
  EXPECT_FALSE(module.variables.at(0).external);
  EXPECT_FALSE(module.variables.at(1).external);
  EXPECT_FALSE(module.variables.at(2).external);
}

TEST(Declaration, AttributesAreTolerated) {
  EXPECT_EQ(variable(".global .attribute(.managed) .align 4 .b32 x;").size, 4U);
}

TEST(Declaration, ADefinitionCompletesAnEarlierExternDeclaration) {
  const Module module = parse_module(".extern .global .u32 x;\n.visible .global .u32 x = 5;");
  ASSERT_EQ(module.variables.size(), 1U);
  EXPECT_FALSE(module.variables[0].external);
  EXPECT_EQ(module.variables[0].initial.at(0), 5U);
}

TEST(Declaration, AnExternDeclarationDoesNotUndoAnEarlierDefinition) {
  const Module module = parse_module(".global .u32 x = 5;\n.extern .global .u32 x;");
  ASSERT_EQ(module.variables.size(), 1U);
  EXPECT_EQ(module.variables[0].initial.at(0), 5U);
}

TEST(Declaration, AnExternDeclarationOfAnotherTypeIsRefused) {
  EXPECT_EQ(error_of_module(".extern .global .u32 x;\n.global .u64 x;"),
            "line 5, column 14: 'x' was declared differently before");
}

TEST(Declaration, TwoDefinitionsOfOneNameAreRefused) {
  EXPECT_EQ(error_of_module(".global .u32 x;\n.global .u32 x;"),
            "line 5, column 14: 'x' is already defined");
}

TEST(Declaration, AVariableWithTheNameOfAFunctionIsRefused) {
  EXPECT_EQ(error_of_module(".func x;\n.global .u32 x;"),
            "line 5, column 14: 'x' is already defined");
}

TEST(Declaration, ADefinedArrayWithoutSizeIsRefused) {
  EXPECT_EQ(error_of_module(".global .b8 x[];"), "line 4, column 13: the size of 'x' is missing");
}

TEST(Declaration, OnlyTheFirstArraySizeCanBeLeftOut) {
  EXPECT_EQ(error_of_module(".extern .global .b8 x[2][];"),
            "line 4, column 25: only the first array size can be left out");
}

TEST(Declaration, AnArrayOfNothingIsRefused) {
  EXPECT_EQ(error_of_module(".global .b8 x[0];"),
            "line 4, column 15: an array size has to lie between 1 and 1099511627776");
}

TEST(Declaration, AnAlignmentThatIsNoPowerOfTwoIsRefused) {
  EXPECT_EQ(error_of_module(".global .align 12 .b8 x;"),
            "line 4, column 16: an alignment has to be a power of two up to 65536");
}

TEST(Declaration, AVariableOfPredicatesIsRefused) {
  EXPECT_EQ(error_of_module(".global .pred x;"),
            "line 4, column 15: the type of 'x' is one that only registers have");
}

TEST(Declaration, AnUnknownWordIsRefusedByName) {
  EXPECT_EQ(error_of_module(".global .u33 x;"),
            "line 4, column 9: unknown word '.u33' in a declaration");
}

TEST(Declaration, AMissingTypeIsRefused) {
  EXPECT_EQ(error_of_module(".global x;"), "line 4, column 9: expected a type but found 'x'");
}

TEST(RegisterDeclaration, ARangeDeclaresNumberedNames) {
  const Module module = parse_module(".func f() { .reg .b16 %rs<3>; }");
  const std::vector<RegisterDeclaration>& registers = module.functions.at(0).registers;
  ASSERT_EQ(registers.size(), 3U);
  EXPECT_EQ(registers[0].name, "%rs0");
  EXPECT_EQ(registers[2].name, "%rs2");
  EXPECT_EQ(registers[2].type, Type::b16);
}

TEST(RegisterDeclaration, OneDirectiveMayMixNamesAndRanges) {
  const Module module = parse_module(".func f() { .reg .f32 a, %f<2>, b; }");
  ASSERT_EQ(module.functions.at(0).registers.size(), 4U);
  EXPECT_EQ(module.functions[0].registers[3].name, "b");
}

TEST(RegisterDeclaration, AVectorRegisterIsOneRegisterPerComponent) {
  const Module module = parse_module(".func f() { .reg .v2 .f32 v; }");
  ASSERT_EQ(module.functions.at(0).registers.size(), 2U);
  EXPECT_EQ(module.functions[0].registers[1].name, "v.y");
}

TEST(RegisterDeclaration, ARangeThatRepeatsANameIsRefused) {
  EXPECT_EQ(error_of_body(".reg .b32 %r1<5>, %r<11>;"),
            "line 6, column 19: '%r0' is already defined");
}

TEST(RegisterDeclaration, ANameInsideARangeIsRefused) {
  EXPECT_EQ(error_of_body(".reg .b32 %r7;"), "line 6, column 11: '%r7' is already defined");
}

TEST(LocalDeclaration, VariablesOfAFunctionAreItsOwn) {
  const Function function =
      parse_body(".shared .align 4 .b8 tile[64]; .local .b32 stack[8]; .param .b64 argument;");
  ASSERT_EQ(function.variables.size(), 3U);
  EXPECT_EQ(function.variables[0].space, Space::shared);
  EXPECT_EQ(function.variables[1].size, 32U);
  EXPECT_EQ(function.variables[2].space, Space::param);
}

TEST(LocalDeclaration, TwoFunctionsMayUseTheSameName) {
  const Module module = parse_module(".func f() { .shared .b32 x; } .func g() { .shared .b32 x; }");
  EXPECT_EQ(module.functions.at(1).variables.at(0).name, "x");
}

TEST(LocalDeclaration, AParametersNameCannotBeDeclaredAgain) {
  EXPECT_EQ(error_of_body(".reg .b32 count;"), "line 6, column 11: 'count' is already defined");
}

}  // namespace
}  // namespace emulator::ptx::testing
