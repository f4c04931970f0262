#include <gtest/gtest.h>

#include "ptx/parsing.h"

namespace emulator::ptx::testing {
namespace {

// The instruction that branch `index` of the body goes to.
std::uint32_t target(const Function& function, std::size_t index) {
  return std::get<LabelReference>(function.body.at(index).operands.at(0).value).instruction;
}

std::vector<std::uint32_t> targets(const Operand& operand) {
  std::vector<std::uint32_t> result;
  for (const Operand& element : std::get<Vector>(operand.value).elements) {
    result.push_back(std::get<LabelReference>(element.value).instruction);
  }
  return result;
}

TEST(Label, MayBeUsedBeforeItIsDefined) {
  EXPECT_EQ(target(parse_body("bra L; ret; L: exit;"), 0), 2U);
}

TEST(Label, MayBeUsedBehindItsDefinition) {
  EXPECT_EQ(target(parse_body("ret; L: exit; bra L;"), 2), 1U);
}

TEST(Label, MayStandAtTheEndOfTheFunction) { EXPECT_EQ(target(parse_body("bra L; L:"), 0), 1U); }

TEST(Label, SeveralMayNameOneInstruction) {
  const Function f = parse_body("bra A; bra B; A: B: ret;");
  EXPECT_EQ(target(f, 0), 2U);
  EXPECT_EQ(target(f, 1), 2U);
}

TEST(Label, OfTheInnermostScopeIsMeant) {
  EXPECT_EQ(target(parse_body("L: ret; { L: exit; bra L; }"), 2), 1U);
}

TEST(Label, OfTheInnermostScopeIsMeantEvenIfItComesLater) {
  EXPECT_EQ(target(parse_body("L: ret; { bra L; L: exit; }"), 1), 2U);
}

TEST(Label, OfAnOuterScopeIsSeenFromInside) {
  EXPECT_EQ(target(parse_body("{ { bra L; } } ret; L: exit;"), 0), 2U);
}

TEST(Label, OfTheSameNameInSiblingsIsEachsOwn) {
  const Function f = parse_body("{ L: bra L; } { L: bra L; } { bra L; L: ret; }");
  EXPECT_EQ(target(f, 0), 0U);
  EXPECT_EQ(target(f, 1), 1U);
  EXPECT_EQ(target(f, 2), 3U);
}

TEST(Label, OfAnInnerScopeIsNotSeenFromOutside) {
  EXPECT_EQ(error_of_body("{ L: ret; }\n  bra L;"), "line 7, column 7: undefined label 'L'");
}

TEST(Label, TheFirstUndefinedOneIsNamed) {
  EXPECT_EQ(error_of_body("bra X;\nbra Y;\nbra X;"), "line 6, column 5: undefined label 'X'");
}

TEST(Label, TwiceInOneScopeIsRefused) {
  EXPECT_EQ(error_of_body("L: ret;\nL: ret;"), "line 7, column 1: 'L' is already defined");
}

TEST(Label, WithTheNameOfARegisterIsRefused) {
  EXPECT_EQ(error_of_body(".reg .b32 L;\nL: ret;"), "line 7, column 1: 'L' is already defined");
}

TEST(Label, OfAnotherFunctionIsNotSeen) {
  EXPECT_EQ(error_of_module(".func f() { L: ret; }\n.func g() { bra L; }"),
            "line 5, column 17: undefined label 'L'");
}

TEST(Label, AsAnOperandOfMovIsRefused) {
  EXPECT_EQ(error_of_body("L: mov.u64 %rd0, L;"),
            "line 6, column 18: 'L' is a label, which is no operand here");
}

TEST(BranchTable, GivesItsLabelsAsTheSecondOperand) {
  const Function f =
      parse_body("A: ret;\nT: .branchtargets A, B, C, A;\nbrx.idx %r0, T;\nB: exit;\nC: trap;");
  ASSERT_EQ(f.body.at(1).operands.size(), 2U);
  EXPECT_EQ(register_name(f, f.body[1].operands[0]), "%r0");
  EXPECT_EQ(targets(f.body[1].operands[1]), (std::vector<std::uint32_t>{0, 2, 3, 0}));
}

TEST(BranchTable, MayFollowTheBranch) {
  const Function f = parse_body("brx.idx.uni %r0, T;\nT: .branchtargets A;\nA: ret;");
  EXPECT_EQ(targets(f.body.at(0).operands.at(1)), std::vector<std::uint32_t>{1});
}

TEST(BranchTable, MayServeSeveralBranches) {
  const Function f = parse_body("T: .branchtargets A;\nbrx.idx %r0, T;\nbrx.idx %r1, T;\nA: ret;");
  EXPECT_EQ(targets(f.body.at(0).operands.at(1)), targets(f.body.at(1).operands.at(1)));
}

TEST(BranchTable, WithAnUndefinedLabelIsRefused) {
  EXPECT_EQ(error_of_body("T: .branchtargets A;"), "line 6, column 19: undefined label 'A'");
}

TEST(BranchTable, ALabelOfAnInstructionIsNone) {
  EXPECT_EQ(error_of_body("A: brx.idx %r0, A;"),
            "line 6, column 17: 'A' is not a label of .branchtargets");
}

TEST(BranchTable, CannotBeBranchedTo) {
  EXPECT_EQ(error_of_body("A: ret;\nT: .branchtargets A;\nbra T;"),
            "line 8, column 5: 'T' is not a label of an instruction");
}

}  // namespace
}  // namespace emulator::ptx::testing
