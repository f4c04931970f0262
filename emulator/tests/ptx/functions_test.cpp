#include <gtest/gtest.h>

#include "ptx/parsing.h"

namespace emulator::ptx::testing {
namespace {

using Shape = std::array<std::uint32_t, 3>;

Function function(const std::string& text) { return parse_module(text).functions.at(0); }

TEST(FunctionHeader, AnEntryIsDefined) {
  const Function f = function(".visible .entry f(.param .u32 n) { ret; }");
  EXPECT_EQ(f.name, "f");
  EXPECT_TRUE(f.entry);
  EXPECT_TRUE(f.defined);
  ASSERT_EQ(f.parameters.size(), 1U);
  EXPECT_EQ(f.parameters[0].name, "n");
  EXPECT_EQ(f.parameters[0].space, Space::param);
}

TEST(FunctionHeader, ParametersMayBeLeftOut) { EXPECT_TRUE(function(".entry f { ret; }").defined); }

TEST(FunctionHeader, AParameterMayBeAnAlignedArray) {
  const Function f = function(".entry f(.param .align 64 .b8 x[128]) { ret; }");
  EXPECT_EQ(f.parameters.at(0).size, 128U);
  EXPECT_EQ(f.parameters.at(0).alignment, 64U);
}

TEST(FunctionHeader, WhatAPointerParameterPointsToDoesNotAlignTheParameter) {
  const Function f = function(".entry f(.param .u64 .ptr .global .align 16 x) { ret; }");
  EXPECT_EQ(f.parameters.at(0).size, 8U);
  EXPECT_EQ(f.parameters.at(0).alignment, 8U);
}

TEST(FunctionHeader, AFunctionMayReturnAStructure) {
  const Function f = function(".func (.param .align 8 .b8 result[24]) f(.param .b32 a) { ret; }");
  EXPECT_FALSE(f.entry);
  ASSERT_EQ(f.returns.size(), 1U);
  EXPECT_EQ(f.returns[0].size, 24U);
}

TEST(FunctionHeader, ADeclarationIsNotDefined) {
  const Function f = function(
      ".extern .func (.param .b32 func_retval0) vprintf\n(\n.param .b64 a,\n.param .b64 b\n)\n;");
  EXPECT_FALSE(f.defined);
  EXPECT_EQ(f.parameters.size(), 2U);
}

TEST(FunctionHeader, UnnamedParametersMayRepeat) {
  EXPECT_EQ(function(".func f(.param .b32 _, .param .b32 _);").parameters.size(), 2U);
}

TEST(FunctionHeader, MaxntidLeftOutDimensionsAreOne) {
  EXPECT_EQ(function(".entry f() .maxntid 256 { ret; }").max_threads, (Shape{256, 1, 1}));
}

TEST(FunctionHeader, ReqntidHasUpToThreeDimensions) {
  EXPECT_EQ(function(".entry f() .reqntid 32, 8, 2 { ret; }").required_threads, (Shape{32, 8, 2}));
}

TEST(FunctionHeader, ReqnctaperclusterIsKept) {
  EXPECT_EQ(
      function(".entry f() .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }").required_cluster,
      (Shape{2, 1, 1}));
}

TEST(FunctionHeader, WhatIsSaidOfClustersIsKept) {
  EXPECT_TRUE(function(".entry f() .explicitcluster { ret; }").explicit_cluster);
  EXPECT_FALSE(function(".entry f() .reqnctapercluster 2 { ret; }").explicit_cluster);
  EXPECT_EQ(function(".entry f() .explicitcluster .maxclusterrank 4 { ret; }").max_cluster, 4U);
  EXPECT_TRUE(function(".entry f() .blocksareclusters .reqntid 64 .reqnctapercluster 2 { ret; }")
                  .blocks_are_clusters);
}

TEST(FunctionHeader, OfADirectiveThatRepeatsTheLastCounts) {
  EXPECT_EQ(function(".entry f() .maxclusterrank 4 .maxclusterrank 17 { ret; }").max_cluster, 17U);
  EXPECT_EQ(
      function(".entry f() .reqnctapercluster 2 .reqnctapercluster 3,2 { ret; }").required_cluster,
      (Shape{3, 2, 1}));
}

TEST(FunctionHeader, AClusterOfNoBlocksSaysNothing) {
  EXPECT_EQ(function(".entry f() .maxclusterrank 0 { ret; }").max_cluster, std::nullopt);
  EXPECT_EQ(function(".entry f() .reqnctapercluster 0, 2 { ret; }").required_cluster, std::nullopt);
  EXPECT_EQ(function(".entry f() .reqnctapercluster 2, 0 { ret; }").required_cluster,
            (Shape{2, 0, 1}));
}

TEST(FunctionHeader, DirectivesThatExcludeEachOtherAreRefused) {
  EXPECT_EQ(
      error_of_module(".entry f() .reqnctapercluster 2 .maxclusterrank 4 { ret; }"),
      "line 4, column 8: 'f' has .maxclusterrank and .reqnctapercluster, of which a kernel has "
      "one");
  EXPECT_EQ(error_of_module(".entry f() .maxntid 64 .reqntid 64 { ret; }"),
            "line 4, column 8: 'f' has .maxntid and .reqntid, of which a kernel has one");
}

TEST(FunctionHeader, BlocksareclustersNeedsTheSizesOfBothWhatItCounts) {
  const auto* const refusal =
      "line 4, column 8: 'f' has .blocksareclusters, which needs .reqntid and .reqnctapercluster";
  EXPECT_EQ(error_of_module(".entry f() .blocksareclusters .reqntid 64 { ret; }"), refusal);
  EXPECT_EQ(error_of_module(".entry f() .blocksareclusters .reqnctapercluster 2 { ret; }"),
            refusal);
  EXPECT_EQ(
      error_of_module(".entry f() .blocksareclusters .maxntid 64 .reqnctapercluster 2 { ret; }"),
      refusal);
}

TEST(FunctionHeader, MaxnregIsKept) {
  EXPECT_EQ(function(".entry f() .maxnreg 64 { ret; }").max_registers, 64U);
}

TEST(FunctionHeader, NoreturnIsKept) {
  EXPECT_TRUE(function(".extern .func f(.param .b64 a)\n.noreturn;").no_return);
}

TEST(FunctionHeader, AdviceIsTolerated) {
  EXPECT_TRUE(function(".entry f() .minnctapersm 2 .maxnctapersm 4\n"
                       ".pragma \"nounroll\"; { ret; }")
                  .defined);
}

TEST(FunctionHeader, AttributesAreTolerated) {
  EXPECT_EQ(function(".func .attribute(.unified(1, 2)) f();").name, "f");
}

TEST(FunctionHeader, AFourthDimensionIsRefused) {
  EXPECT_EQ(error_of_module(".entry f() .maxntid 1, 1, 1, 1 { ret; }"),
            "line 4, column 30: a shape has at most three numbers");
}

TEST(FunctionHeader, AnUnknownDirectiveIsRefusedByName) {
  EXPECT_EQ(error_of_module(".entry f() .frob 3 { ret; }"),
            "line 4, column 12: unknown directive '.frob' of a function");
}

// Loaded before the body, stored before each return with its guard, and at the end.
TEST(FunctionHeader, ParametersInRegistersAreMovedFromAndToVariables) {
  const Function function =
      parse_module(".func (.reg .b32 r) f(.reg .b32 a) { .reg .pred p; @p ret; mov.b32 r, a; }\n")
          .functions.at(0);
  ASSERT_EQ(function.body.size(), 5U);
  EXPECT_EQ(function.body[0].opcode, Opcode::ld);
  EXPECT_EQ(register_name(function, function.body[0].operands.at(0)), "a");
  EXPECT_EQ(function.body[1].opcode, Opcode::st);
  EXPECT_TRUE(function.body[1].guard);
  EXPECT_EQ(function.body[2].opcode, Opcode::ret);
  EXPECT_EQ(function.body[4].opcode, Opcode::st);
  EXPECT_EQ(register_name(function, function.body[4].operands.at(1)), "r");
  EXPECT_FALSE(function.body[4].guard);
}
TEST(FunctionHeader, AVectorInARegisterIsAParameterForEachComponent) {
  const Function function =
      parse_module(".func f(.reg .v4 .b16 v, .reg .b32 a) { ret; }\n").functions.at(0);
  ASSERT_EQ(function.parameters.size(), 5U);
  EXPECT_EQ(function.parameters[3].size, 2U);
  EXPECT_EQ(function.parameters[4].size, 4U);
}
TEST(FunctionHeader, ACallOfNothingIsRefused) {
  EXPECT_EQ(error_of_body("call;"), "line 6, column 5: expected an operand but found ';'");
}
TEST(FunctionHeader, AVectorOfPredicatesIsRefused) {
  EXPECT_EQ(error_of_module(".func f(.reg .v2 .pred a);"),
            "line 4, column 9: a parameter in a register is a scalar, or a vector of two or four");
}
TEST(FunctionHeader, ADeclarationMayEndWithNothing) {
  const Module module = parse_module(
      ".visible .func f(.param .b32 a)\n.func g()\n.global .u32 x;\n.func h()\n.func f(.param "
      ".b32 a) { ret; }\n.extern .func last()\n");
  EXPECT_EQ(module.functions.size(), 4U);
  EXPECT_EQ(module.variables.size(), 1U);
}
TEST(FunctionHeader, AKernelHasNoParametersInRegisters) {
  EXPECT_EQ(error_of_module(".entry f(.reg .b32 a) { ret; }"),
            "line 4, column 8: a kernel has no parameters in registers");
}

TEST(FunctionHeader, TwoParametersOfOneNameAreRefused) {
  EXPECT_EQ(error_of_module(".func f(.param .b32 a, .param .b32 a);"),
            "line 4, column 36: 'a' is already defined");
}

TEST(FunctionDeclaration, ADefinitionTakesTheDeclarationsPlace) {
  const Module module = parse_module(
      ".func f(.param .b32 a);\n.func g() { call f, (1); }\n.func f(.param .b32 b) { ret; }");
  ASSERT_EQ(module.functions.size(), 2U);
  EXPECT_TRUE(module.functions[0].defined);
  EXPECT_EQ(module.functions[0].parameters.at(0).name, "b");
  EXPECT_EQ(std::get<Symbol>(module.functions[1].body.at(0).operands.at(1).value).index, 0U);
}

TEST(FunctionDeclaration, ADeclarationAfterTheDefinitionChangesNothing) {
  const Module module = parse_module(".func f() { ret; } .func f();");
  ASSERT_EQ(module.functions.size(), 1U);
  EXPECT_TRUE(module.functions[0].defined);
}

TEST(FunctionDeclaration, AFunctionMayCallItself) {
  const Function f = function(".func f() { call f; ret; }");
  EXPECT_EQ(std::get<Symbol>(f.body.at(0).operands.at(1).value).index, 0U);
}

TEST(FunctionDeclaration, TwoDefinitionsAreRefused) {
  EXPECT_EQ(error_of_module(".func f() { ret; }\n.func f() { ret; }"),
            "line 5, column 7: 'f' is already defined");
}

TEST(FunctionDeclaration, AnotherSignatureIsRefused) {
  EXPECT_EQ(error_of_module(".func f(.param .b32 a);\n.func f(.param .b64 a) { ret; }"),
            "line 5, column 7: 'f' was declared differently before");
}

TEST(Alias, CallsOfAnAliasAreCallsOfTheFunction) {
  const Module module = parse_module(
      ".func other();\n.func f() { ret; }\n.func g() { call other; ret; }\n.alias other, f;");
  EXPECT_EQ(std::get<Symbol>(module.functions.at(2).body.at(0).operands.at(1).value).index, 1U);
}

TEST(Alias, AddressesOfAnAliasAreAddressesOfTheFunction) {
  const Module module =
      parse_module(".func other();\n.func f() { ret; }\n.global .u64 x = other;\n.alias other, f;");
  EXPECT_EQ(module.variables.at(0).relocations.at(0).symbol, "f");
}

TEST(Alias, OfAFunctionWithoutBodyIsRefused) {
  EXPECT_EQ(error_of_module(".func other();\n.func f();\n.alias other, f;"),
            "line 6, column 8: 'other' is an alias of 'f', which has no body");
}

TEST(Alias, WithABodyOfItsOwnIsRefused) {
  EXPECT_EQ(error_of_module(".func other() { ret; }\n.func f() { ret; }\n.alias other, f;"),
            "line 6, column 8: 'other' is an alias but has a body");
}

}  // namespace
}  // namespace emulator::ptx::testing
