#include <gtest/gtest.h>

#include "ptx/parsing.h"

namespace emulator::ptx::testing {
namespace {

const char* const kVariables = ".shared .align 4 .b32 tile[16]; ";

Address address(const std::string& text) {
  const Function f = parse_body(kVariables + ("ld.b32 %r0, " + text + ";"));
  return std::get<Address>(f.body.at(0).operands.at(1).value);
}

Operand source(const std::string& text) {
  return parse_body(kVariables + ("mov.b32 %r0, " + text + ";")).body.at(0).operands.at(1);
}

SpecialRegister special(const std::string& text) {
  return std::get<SpecialRegister>(source(text).value);
}

TEST(Operand, ARegisterIsItsIndexInTheFunction) {
  const Function f = parse_body("mov.b32 %r4, %r5;");
  EXPECT_EQ(register_name(f, f.body.at(0).operands.at(0)), "%r4");
  EXPECT_EQ(register_name(f, f.body.at(0).operands.at(1)), "%r5");
}

TEST(Operand, CarriesItsPlace) {
  const Operand operand = parse_operand("mov.b32 %r4, %r5;", 1);
  EXPECT_EQ(operand.where.line, 6U);
  EXPECT_EQ(operand.where.column, 14U);
}

TEST(Operand, UnderscoreIsASink) {
  const auto vector = std::get<Vector>(parse_operand("mov.b64 {%r0, _}, %rd0;", 0).value);
  EXPECT_TRUE(std::holds_alternative<Sink>(vector.elements.at(1).value));
}

TEST(Operand, BracesAreAVector) {
  const Function f = parse_body("mov.b64 %rd0, {%r1, %r2};");
  const auto vector = std::get<Vector>(f.body.at(0).operands.at(1).value);
  ASSERT_EQ(vector.elements.size(), 2U);
  EXPECT_EQ(register_name(f, vector.elements[1]), "%r2");
}

TEST(Operand, ABarJoinsAPair) {
  const Function f = parse_body("setp.lt.and.s32 %p0|%p1, %r0, 3, !%p2;");
  const auto pair = std::get<Pair>(f.body.at(0).operands.at(0).value);
  ASSERT_EQ(pair.both.size(), 2U);
  EXPECT_EQ(register_name(f, pair.both[0]), "%p0");
  EXPECT_EQ(register_name(f, pair.both[1]), "%p1");
}

TEST(Operand, APairMayBeginWithASink) {
  const auto pair = std::get<Pair>(parse_operand("elect.sync _|%p0, -1;", 0).value);
  EXPECT_TRUE(std::holds_alternative<Sink>(pair.both.at(0).value));
}

TEST(Operand, APairMayEndWithASink) {
  const auto pair = std::get<Pair>(parse_operand("setp.lt.s32 %p0|_, %r0, 3;", 0).value);
  EXPECT_TRUE(std::holds_alternative<Sink>(pair.both.at(1).value));
}

TEST(Operand, APredicateMayBeNegated) {
  const Operand operand = parse_operand("selp.b32 %r0, 1, 2, !%p0;", 3);
  EXPECT_TRUE(operand.negated);
  EXPECT_TRUE(std::holds_alternative<Register>(operand.value));
}

TEST(Operand, ARegisterMayBeNegated) { EXPECT_TRUE(source("-%r1").negated); }

TEST(Operand, ANegativeNumberIsNotMarkedAsNegated) {
  const Operand operand = source("-1");
  EXPECT_FALSE(operand.negated);
  EXPECT_EQ(std::get<Immediate>(operand.value).bits, ~std::uint64_t{0});
}

TEST(Operand, AVariableIsASymbol) {
  const auto symbol = std::get<Symbol>(source("tile").value);
  EXPECT_EQ(symbol.where, Symbol::Where::local_variable);
  EXPECT_EQ(symbol.index, 0U);
}

TEST(Operand, AVariableOfTheModuleIsASymbol) {
  const Module module = parse_module(".global .b32 x, y; .func f() { .reg .b64 a; mov.u64 a, y; }");
  const auto symbol = std::get<Symbol>(module.functions.at(0).body.at(0).operands.at(1).value);
  EXPECT_EQ(symbol.where, Symbol::Where::module_variable);
  EXPECT_EQ(symbol.index, 1U);
}

TEST(Operand, AReturnParameterIsASymbol) {
  const Module module = parse_module(".func (.param .b32 out) f() { st.param.b32 [out], 3; ret; }");
  const auto value = std::get<Address>(module.functions.at(0).body.at(0).operands.at(0).value);
  EXPECT_EQ(std::get<Symbol>(value.base).where, Symbol::Where::return_parameter);
}

TEST(Operand, AVariableWithAnOffsetIsAnAddress) {
  const auto value = std::get<Address>(source("tile+8").value);
  EXPECT_EQ(value.offset, 8);
  EXPECT_TRUE(std::holds_alternative<Symbol>(value.base));
}

TEST(Operand, AnIndexCountsElements) {
  EXPECT_EQ(std::get<Address>(source("tile[3]").value).offset, 12);
}

TEST(Operand, AnIndexOfAVectorVariableCountsScalars) {
  const Module module =
      parse_module(".global .v4 .u32 d[4]; .func f() { .reg .b64 a; mov.u64 a, d[1]; }");
  const auto value = std::get<Address>(module.functions.at(0).body.at(0).operands.at(1).value);
  EXPECT_EQ(value.offset, 4);
}

TEST(Operand, AVectorRegisterIsAVectorOfItsComponents) {
  const Function f = parse_body(".reg .v4 .f32 v; ld.v4.f32 v, [%rd0];");
  EXPECT_EQ(std::get<Vector>(f.body.at(0).operands.at(0).value).elements.size(), 4U);
}

TEST(Operand, AComponentOfAVectorRegisterIsARegister) {
  const Function f = parse_body(".reg .v4 .f32 v; mov.f32 v.z, v.r;");
  EXPECT_EQ(register_name(f, f.body.at(0).operands.at(0)), "v.z");
  EXPECT_EQ(register_name(f, f.body.at(0).operands.at(1)), "v.x");
}

TEST(OperandAddress, MayBeARegister) {
  EXPECT_TRUE(std::holds_alternative<Register>(address("[%rd1]").base));
  EXPECT_EQ(address("[%rd1]").offset, 0);
}

TEST(OperandAddress, MayHaveAnOffset) { EXPECT_EQ(address("[%rd1+24]").offset, 24); }
TEST(OperandAddress, MayHaveANegativeOffset) { EXPECT_EQ(address("[%rd1+-24]").offset, -24); }
TEST(OperandAddress, MayHaveASubtractedOffset) { EXPECT_EQ(address("[%rd1-24]").offset, -24); }
TEST(OperandAddress, MayHaveASumOfOffsets) { EXPECT_EQ(address("[%rd1+-4+8]").offset, 4); }
TEST(OperandAddress, MayHaveSpaces) { EXPECT_EQ(address("[ %rd1 + 8 ]").offset, 8); }

TEST(OperandAddress, MayBeAVariable) {
  EXPECT_TRUE(std::holds_alternative<Symbol>(address("[tile]").base));
}

TEST(OperandAddress, MayBeAVariableAndAnOffset) { EXPECT_EQ(address("[tile+4]").offset, 4); }
TEST(OperandAddress, MayBeAnElement) { EXPECT_EQ(address("tile[2]").offset, 8); }

TEST(OperandAddress, MayBeANumber) {
  const Address value = address("[0x1000]");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(value.base));
  EXPECT_EQ(value.offset, 0x1000);
}

TEST(OperandAddress, OfATensorIsAVectorOfAddressAndCoordinates) {
  const Operand operand = parse_operand(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%r0], [%rd1, {%r3, %r4}], [%r2];",
      1);
  const auto parts = std::get<Vector>(operand.value);
  ASSERT_EQ(parts.elements.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<Address>(parts.elements[0].value));
  EXPECT_EQ(std::get<Vector>(parts.elements[1].value).elements.size(), 2U);
}

TEST(OperandSpecial, AVectorOneHasADimension) {
  EXPECT_EQ(special("%ctaid.y").which, Special::ctaid);
  EXPECT_EQ(special("%ctaid.y").dimension, 1);
}

TEST(OperandSpecial, AScalarOneHasNone) {
  EXPECT_EQ(special("%laneid").which, Special::laneid);
  EXPECT_EQ(special("%laneid").dimension, 0);
}

TEST(OperandSpecial, ANumberedOneHasItsNumber) {
  EXPECT_EQ(special("%envreg2").which, Special::envreg);
  EXPECT_EQ(special("%envreg2").dimension, 2);
}

TEST(OperandSpecial, ADeclaredRegisterHidesIt) {
  const Function f = parse_body(".reg .b32 %laneid; mov.b32 %r0, %laneid;");
  EXPECT_EQ(register_name(f, f.body.at(0).operands.at(1)), "%laneid");
}

TEST(OperandSpecial, AVectorOneWithoutDimensionIsRefused) {
  EXPECT_EQ(error_of_body("mov.u32 %r0, %tid;"),
            "line 6, column 18: expected a component such as '.x' of '%tid' but found ';'");
}

TEST(OperandSpecial, AnUnknownDimensionIsRefused) {
  EXPECT_EQ(error_of_body("mov.u32 %r0, %tid.q;"),
            "line 6, column 18: unknown component '.q' of '%tid'");
}

TEST(OperandError, AnUndefinedRegisterIsNamed) {
  EXPECT_EQ(error_of_body("mov.b32 %r0, %r10;"), "line 6, column 14: undefined register '%r10'");
}

TEST(OperandError, AnUndefinedVariableIsNamed) {
  EXPECT_EQ(error_of_body("mov.u64 %rd0, nothing;"), "line 6, column 15: undefined name 'nothing'");
}

TEST(OperandError, AComponentOfAScalarRegisterIsRefused) {
  EXPECT_EQ(error_of_body("mov.b32 %r0, %r1.x;"),
            "line 6, column 17: unknown component '.x' of '%r1'");
}

TEST(OperandSelector, NamesPartsTheLowestFirst) {
  const Selector selector =
      parse_operand("vadd4.u32.u32.u32 %r0, %r1, %r2.b7013, %r3;", 2).selector.value_or(Selector{});
  EXPECT_EQ(selector.part_bits, 8U);
  EXPECT_EQ(selector.digits, (std::vector<std::uint8_t>{3, 1, 0, 7}));
  EXPECT_FALSE(parse_operand("vadd4.u32.u32.u32 %r0, %r1, %r2.b7013, %r3;", 1).selector);
}

TEST(OperandSelector, BeyondTwoRegistersIsRefused) {
  EXPECT_EQ(error_of_body("vadd.u32.u32.u32 %r0, %r1.h4, %r2;"),
            "line 6, column 26: unknown component '.h4' of '%r1'");
  EXPECT_EQ(error_of_body("vadd4.u32.u32.u32 %r0, %r1.b8000, %r2, %r3;"),
            "line 6, column 27: unknown component '.b8000' of '%r1'");
  EXPECT_EQ(error_of_body("vadd2.u32.u32.u32 %r0, %r1.h000, %r2, %r3;"),
            "line 6, column 27: unknown component '.h000' of '%r1'");
}

TEST(OperandError, AVectorInsideAVectorIsRefused) {
  EXPECT_EQ(error_of_body("mov.b64 %rd0, {%r1, {%r2}};"),
            "line 6, column 21: expected an operand but found '{'");
}

TEST(OperandError, ANegatedVariableIsRefused) {
  EXPECT_EQ(error_of_body("mov.u64 %rd0, -count;"),
            "line 6, column 15: only a register or a constant can be negated");
}

TEST(OperandError, ARegisterAsAnIndexIsRefused) {
  EXPECT_EQ(error_of_body(".shared .b32 x[2];\nld.shared.b32 %r0, x[%r1];"),
            "line 7, column 22: an array index that is no constant is not supported by the "
            "emulator");
}

TEST(OperandError, ASpecialRegisterAsAnAddressIsRefused) {
  EXPECT_EQ(error_of_body("ld.u32 %r0, [%laneid];"),
            "line 6, column 14: an address has to begin with a register, a variable or a number");
}

TEST(OperandError, AMissingOperandIsRefused) {
  EXPECT_EQ(error_of_body("mov.b32 %r0, ;"),
            "line 6, column 14: expected an operand but found ';'");
}

TEST(OperandError, AMissingSemicolonIsRefusedAtTheNextStatement) {
  EXPECT_EQ(error_of_body("mov.b32 %r0, %r1\nret;"),
            "line 7, column 1: expected ',' or ';' but found 'ret'");
}

}  // namespace
}  // namespace emulator::ptx::testing
