#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/parsing.h"

namespace emulator::ptx::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const char* const kFunctions =
    ".func (.param .b32 r) f(.param .b32 a, .param .b64 b);\n.func g();\n";

Instruction parse_call(const std::string& text) {
  return parse_module(
             std::string(kFunctions) +
             ".func caller() { .reg .b64 %rd<2>; .param .b32 p; .param .b64 q; .param .b32 s;\n"
             "proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _) .noreturn;\n"
             "list: .calltargets f, g;\n" +
             text + " }")
      .functions.at(2)
      .body.at(0);
}

std::size_t elements(const Operand& operand) {
  return std::get<Vector>(operand.value).elements.size();
}

TEST(InstructionWords, AreSortedIntoTypesSpacesAndModifiers) {
  const Instruction i =
      parse_instruction("ld.global.nc.L1::no_allocate.v2.f32 {%f0, %f1}, [%rd0];");
  EXPECT_EQ(i.opcode, Opcode::ld);
  EXPECT_THAT(i.types, ElementsAre(Type::f32));
  EXPECT_EQ(i.space, Space::global);
  EXPECT_TRUE(i.names_space);
  EXPECT_EQ(i.vector_width, 2);
  EXPECT_THAT(i.modifiers, ElementsAre(Modifier::nc, Modifier::L1_no_allocate));
}

TEST(InstructionWords, TypesKeepTheirOrder) {
  EXPECT_THAT(parse_instruction("cvt.rn.f32.s64 %f0, %rd0;").types,
              ElementsAre(Type::f32, Type::s64));
}

TEST(InstructionWords, TheTypeOfAnInstructionIsTheLast) {
  EXPECT_EQ(parse_instruction("cvt.rn.f32.s64 %f0, %rd0;").type(), Type::s64);
}

TEST(InstructionWords, MatrixInstructionsHaveFourTypes) {
  const Instruction i = parse_instruction(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0,%f1,%f2,%f3}, "
      "{%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};");
  EXPECT_THAT(i.types, ElementsAre(Type::f32, Type::bf16, Type::bf16, Type::f32));
  EXPECT_TRUE(i.has(Modifier::m16n8k16));
}

TEST(InstructionWords, AnAccessWithoutSpaceIsGeneric) {
  const Instruction i = parse_instruction("ld.u32 %r0, [%rd0];");
  EXPECT_EQ(i.space, Space::generic);
  EXPECT_FALSE(i.names_space);
}

TEST(InstructionWords, CopiesNameTwoSpaces) {
  const Instruction i = parse_instruction("cp.async.cg.shared.global.L2::128B [%r0], [%rd0], 16;");
  EXPECT_EQ(i.space, Space::shared);
  EXPECT_EQ(i.second_space, Space::global);
  EXPECT_FALSE(i.cluster_shared);
}

TEST(InstructionWords, SharedMemoryOfTheClusterIsTold) {
  const Instruction i = parse_instruction("mapa.shared::cluster.u32 %r0, %r1, %r2;");
  EXPECT_EQ(i.space, Space::shared);
  EXPECT_TRUE(i.cluster_shared);
}

TEST(InstructionWords, TheSpaceOfAQueryIsASpace) {
  EXPECT_EQ(parse_instruction("isspacep.const %p0, %rd0;").space, Space::constant);
}

TEST(InstructionWords, CvtaToKeepsItsDirection) {
  const Instruction i = parse_instruction("cvta.to.shared.u64 %rd0, %rd1;");
  EXPECT_TRUE(i.has(Modifier::to));
  EXPECT_EQ(i.space, Space::shared);
}

TEST(InstructionWords, APredicateIsAType) {
  EXPECT_THAT(parse_instruction("or.pred %p0, %p1, %p2;").types, ElementsAre(Type::pred));
}

TEST(InstructionWords, FragmentsOfWmmaAreModifiers) {
  const Instruction i = parse_instruction(
      "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r0,%r1,%r2,%r3}, [%rd0], %r4;");
  EXPECT_TRUE(i.has(Modifier::a));
  EXPECT_TRUE(i.has(Modifier::m16n16k16));
}

TEST(InstructionWords, MayBeAbsent) {
  const Instruction i = parse_instruction("ret;");
  EXPECT_THAT(i.modifiers, IsEmpty());
  EXPECT_THAT(i.types, IsEmpty());
  EXPECT_THAT(i.operands, IsEmpty());
  EXPECT_EQ(i.type(), Type::none);
}

TEST(InstructionWords, UnknownOpcodeIsRefusedByName) {
  EXPECT_EQ(error_of_body("  frob.b32 %r0, %r1;"),
            "line 6, column 3: unknown opcode 'frob' in 'frob.b32 %r0, %r1'");
}

TEST(InstructionWords, UnknownModifierIsRefusedByName) {
  EXPECT_EQ(error_of_body("ld.global.foo.u32 %r0, [%rd0];"),
            "line 6, column 10: unknown modifier '.foo' in 'ld.global.foo.u32 %r0, [%rd0]'");
}

TEST(InstructionWords, UnknownModifierWithColonsIsNamedWhole) {
  EXPECT_EQ(
      error_of_body("ld.global.L3::foo.u32 %r0, [%rd0];"),
      "line 6, column 10: unknown modifier '.L3::foo' in 'ld.global.L3::foo.u32 %r0, [%rd0]'");
}

TEST(InstructionWords, AnUnknownOneIsNamedWithWhatIsThereOfItsInstruction) {
  EXPECT_EQ(error_of_body("@%p0 frob.v2 {%r0, %r1},\n  [%rd0 + 4]; ret;"),
            "line 6, column 6: unknown opcode 'frob' in '@%p0 frob.v2 {%r0, %r1}, [%rd0 + 4]'");
  EXPECT_EQ(error_of_body("frob %r0, ` %r1;"), "line 6, column 1: unknown opcode 'frob' in 'frob'");
  EXPECT_EQ(error_of_body("frob %r0 /* ; */, %r1"),
            "line 6, column 1: unknown opcode 'frob' in 'frob %r0 , %r1 }'");
}

TEST(InstructionWords, AThirdSpaceIsRefused) {
  EXPECT_EQ(error_of_body("ld.global.shared.local.u32 %r0, [%rd0];"),
            "line 6, column 17: a third state space '.local' in 'ld.global.shared.local.u32 %r0, "
            "[%rd0]'");
}

TEST(InstructionGuard, IsAbsentWhereNoneIsWritten) {
  EXPECT_FALSE(parse_instruction("ret;").guard.has_value());
}

TEST(InstructionGuard, NamesItsPredicate) {
  const Function f = parse_body("@%p3 ret;");
  const Guard guard = f.body.at(0).guard.value_or(Guard{{0}, true});
  EXPECT_EQ(f.registers.at(guard.predicate.index).name, "%p3");
  EXPECT_FALSE(guard.negated);
}

TEST(InstructionGuard, MayBeNegated) {
  EXPECT_TRUE(parse_instruction("@!%p3 ret;").guard.value_or(Guard{{0}, false}).negated);
}

TEST(InstructionGuard, MayFollowALabel) {
  EXPECT_TRUE(parse_instruction("L: @%p3 bra L;").guard.has_value());
}

TEST(InstructionGuard, OfAnUndefinedRegisterIsRefused) {
  EXPECT_EQ(error_of_body("@%p77 ret;"), "line 6, column 2: undefined register '%p77'");
}

TEST(InstructionGuard, OfAVariableIsRefused) {
  EXPECT_EQ(error_of_body("@count ret;"), "line 6, column 2: 'count' is not a register");
}

TEST(InstructionText, IsTheStatementWithoutTheSemicolon) {
  EXPECT_EQ(parse_instruction("@%p0 bra L; L:").text, "@%p0 bra L");
}

TEST(InstructionText, FoldsWhiteSpaceAndComments) {
  EXPECT_EQ(parse_instruction("add.s32 \t%r0, // first\n  %r1,/* second */%r2\n;").text,
            "add.s32 %r0, %r1, %r2");
}

TEST(InstructionText, StandsWhereItBegins) {
  const Instruction i = parse_instruction("\n   @%p0 ret;");
  EXPECT_EQ(i.where.line, 7U);
  EXPECT_EQ(i.where.column, 4U);
}

TEST(Call, HasReturnsFunctionAndArguments) {
  const Instruction i = parse_call("call.uni (s), f, (p, q);");
  ASSERT_EQ(i.operands.size(), 3U);
  EXPECT_EQ(elements(i.operands[0]), 1U);
  EXPECT_EQ(std::get<Symbol>(i.operands[1].value).where, Symbol::Where::function);
  EXPECT_EQ(elements(i.operands[2]), 2U);
  EXPECT_TRUE(i.has(Modifier::uni));
}

TEST(Call, OfAFunctionAloneHasEmptyLists) {
  const Instruction i = parse_call("call g;");
  ASSERT_EQ(i.operands.size(), 3U);
  EXPECT_EQ(elements(i.operands[0]), 0U);
  EXPECT_EQ(std::get<Symbol>(i.operands[1].value).index, 1U);
  EXPECT_EQ(elements(i.operands[2]), 0U);
}

TEST(Call, MayHaveArgumentsWithoutReturns) {
  const Instruction i = parse_call("call f, (p, q);");
  EXPECT_EQ(elements(i.operands.at(0)), 0U);
  EXPECT_EQ(elements(i.operands.at(2)), 2U);
}

TEST(Call, MayHaveReturnsWithoutArguments) {
  const Instruction i = parse_call("call (s), f;");
  EXPECT_EQ(elements(i.operands.at(0)), 1U);
  EXPECT_EQ(elements(i.operands.at(2)), 0U);
}

TEST(Call, MayHaveEmptyLists) {
  const Instruction i = parse_call("call.uni (), g, ();");
  EXPECT_EQ(i.operands.size(), 3U);
}

TEST(Call, ThroughARegisterDropsThePrototype) {
  const Instruction i = parse_call("call (s), %rd1, (p, q), proto;");
  ASSERT_EQ(i.operands.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<Register>(i.operands[1].value));
}

TEST(Call, ThroughARegisterMayHaveNothingButAPrototype) {
  const Instruction i = parse_call("call %rd1, proto;");
  ASSERT_EQ(i.operands.size(), 3U);
  EXPECT_EQ(elements(i.operands[2]), 0U);
}

TEST(Call, ThroughARegisterMayNameAListOfTargets) {
  EXPECT_EQ(parse_call("call (s), %rd1, (p, q), list;").operands.size(), 3U);
}

TEST(Call, WithAnUndefinedPrototypeIsRefused) {
  EXPECT_EQ(error_of_body("call %rd1, nothing;"), "line 6, column 12: undefined label 'nothing'");
}

TEST(Call, OfAnUndefinedFunctionIsRefused) {
  EXPECT_EQ(error_of_body("call nothing;"), "line 6, column 6: undefined name 'nothing'");
}

TEST(Call, OfAVariableIsRefused) {
  EXPECT_EQ(error_of_body("call count;"),
            "line 6, column 6: what is called has to be a function or a register");
}

TEST(Call, ATargetThatIsNoFunctionIsRefused) {
  EXPECT_EQ(error_of_body("list: .calltargets kernel, count;"),
            "line 6, column 28: 'count' is not a function");
}

TEST(SkippedStatement, LocAndPragmaLeaveNoTrace) {
  const Function f = parse_body(
      ".loc 1 23 4\n.loc 1 23 4, function_name $L__info0, inlined_at 1 22 3\n"
      ".loc 1 2 3, function_name $L__info0+7, inlined_at 1 2 3\n.pragma \"nounroll\";\nret;");
  EXPECT_EQ(f.body.size(), 1U);
}

}  // namespace
}  // namespace emulator::ptx::testing
