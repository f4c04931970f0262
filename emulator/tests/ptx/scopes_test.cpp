#include <gtest/gtest.h>

#include "ptx/parsing.h"

namespace emulator::ptx::testing {
namespace {

std::uint32_t register_of(const Instruction& instruction, std::size_t operand) {
  return std::get<Register>(instruction.operands.at(operand).value).index;
}

TEST(Scope, AnInnerRegisterHidesAnOuterOneOfThatName) {
  const Function f = parse_body("{ .reg .b64 %r1; mov.b64 %r1, 0; }");
  EXPECT_EQ(f.registers.at(register_of(f.body.at(0), 0)).type, Type::b64);
}

TEST(Scope, TheOuterRegisterIsBackBehindTheScope) {
  const Function f = parse_body("{ .reg .b64 %r1; }\nmov.b32 %r1, 0;");
  EXPECT_EQ(f.registers.at(register_of(f.body.at(0), 0)).type, Type::b32);
}

TEST(Scope, TheOuterRegisterIsMeantBeforeTheInnerDeclaration) {
  const Function f = parse_body("{ mov.b32 %r1, 0; .reg .b64 %r1; mov.b64 %r1, 0; }");
  EXPECT_EQ(f.registers.at(register_of(f.body.at(0), 0)).type, Type::b32);
  EXPECT_EQ(f.registers.at(register_of(f.body.at(1), 0)).type, Type::b64);
}

TEST(Scope, OuterRegistersAreSeenInside) {
  const Function f = parse_body("{ { mov.b32 %r3, 0; } }");
  EXPECT_EQ(f.registers.at(register_of(f.body.at(0), 0)).name, "%r3");
}

TEST(Scope, SiblingsMayUseTheSameNames) {
  const Function f = parse_body("{ .reg .b32 t; mov.b32 t, 0; } { .reg .b32 t; mov.b32 t, 0; }");
  EXPECT_NE(register_of(f.body.at(0), 0), register_of(f.body.at(1), 0));
}

TEST(Scope, ARangeHidesSingleOuterNames) {
  const Function f = parse_body(".reg .b64 t1; { .reg .b32 t<2>; mov.b32 t1, 0; } mov.b64 t1, 0;");
  EXPECT_EQ(f.registers.at(register_of(f.body.at(0), 0)).type, Type::b32);
  EXPECT_EQ(f.registers.at(register_of(f.body.at(1), 0)).type, Type::b64);
}

TEST(Scope, AVariableMayHideAGlobalOne) {
  const Module module =
      parse_module(".global .b32 x;\n.func f() { .reg .b64 a; .shared .b32 x; mov.u64 a, x; }");
  const auto symbol = std::get<Symbol>(module.functions.at(0).body.at(0).operands.at(1).value);
  EXPECT_EQ(symbol.where, Symbol::Where::local_variable);
}

TEST(Scope, AParameterMayHideAGlobalVariable) {
  const Module module =
      parse_module(".global .b32 x;\n.func f(.param .b32 x) { .reg .b32 a; ld.param.b32 a, [x]; }");
  const auto address = std::get<Address>(module.functions.at(0).body.at(0).operands.at(1).value);
  EXPECT_EQ(std::get<Symbol>(address.base).where, Symbol::Where::parameter);
}

TEST(Scope, NamesOfAClosedScopeAreUndefined) {
  EXPECT_EQ(error_of_body("{ .reg .b32 t; }\nmov.b32 t, 0;"),
            "line 7, column 9: undefined name 't'");
}

TEST(Scope, NamesOfAnotherFunctionAreUndefined) {
  EXPECT_EQ(error_of_module(".func f() { .reg .b32 %a; }\n.func g() { mov.b32 %a, 0; }"),
            "line 5, column 21: undefined register '%a'");
}

TEST(Scope, OneNameTwiceInOneScopeIsRefused) {
  EXPECT_EQ(error_of_body("{ .reg .b32 t;\n.shared .b32 t; }"),
            "line 7, column 14: 't' is already defined");
}

TEST(Scope, AnUnclosedScopeIsRefusedWhereItOpens) {
  EXPECT_EQ(error_of_module(".func f() {\n  {\n }"), "line 4, column 11: '{' is not closed");
}

TEST(Scope, DepthIsNotLimitedByTheStack) {
  const std::string deep(200000, '{');
  const std::string shallow(200000, '}');
  EXPECT_EQ(parse_body(deep + "ret;" + shallow).body.size(), 1U);
}

}  // namespace
}  // namespace emulator::ptx::testing
