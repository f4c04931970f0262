#include "ptx/words.h"

#include <gtest/gtest.h>

#include "ptx/ast.h"
#include "ptx/dotted_words.h"

namespace emulator::ptx {
namespace {

TEST(Words, AnOpcodeIsFoundByItsSpelling) { EXPECT_EQ(opcode_of("mad24"), Opcode::mad24); }

TEST(Words, AnOpcodeThatIsACppKeywordIsFoundByItsSpelling) {
  EXPECT_EQ(opcode_of("xor"), Opcode::xor_);
}

TEST(Words, AnUnknownOpcodeIsNotFound) { EXPECT_EQ(opcode_of("frob"), std::nullopt); }

TEST(Words, APrefixOfAnOpcodeIsNotFound) { EXPECT_EQ(opcode_of("mad2"), std::nullopt); }

TEST(Words, AModifierWithColonsIsFoundByItsSpelling) {
  EXPECT_EQ(modifier_of("L1::no_allocate"), Modifier::L1_no_allocate);
}

TEST(Words, AModifierThatBeginsWithADigitIsFoundByItsSpelling) {
  EXPECT_EQ(modifier_of("2d"), Modifier::dim_2d);
}

TEST(Words, EveryShapeOfWgmmaIsAModifier) {
  EXPECT_EQ(modifier_of("m64n8k8"), Modifier::m64n8k8);
  EXPECT_EQ(modifier_of("m64n256k16"), Modifier::m64n256k16);
}

TEST(Words, ComparingUnorderedAndPropagatingNanAreTwoModifiers) {
  EXPECT_EQ(modifier_of("nan"), Modifier::nan);
  EXPECT_EQ(modifier_of("NaN"), Modifier::NaN);
}

TEST(Words, SpellingUndoesOpcodeOf) { EXPECT_EQ(spelling(Opcode::and_), "and"); }

TEST(Words, SpellingUndoesModifierOf) {
  EXPECT_EQ(spelling(Modifier::mbarrier_complete_tx_bytes), "mbarrier::complete_tx::bytes");
}

TEST(Words, PackedTypesAreTypes) { EXPECT_EQ(type_of("bf16x2"), Type::bf16x2); }

TEST(Words, SharedClusterIsSharedSpace) {
  const SpaceWord space = space_of("shared::cluster").value_or(SpaceWord{Space::generic, false});
  EXPECT_EQ(space.space, Space::shared);
  EXPECT_TRUE(space.cluster);
}

TEST(Words, ANumberedSpecialRegisterCarriesItsNumber) {
  const SpecialName special = special_of("%envreg31").value_or(SpecialName{Special::tid, true, 0});
  EXPECT_EQ(special.which, Special::envreg);
  EXPECT_EQ(special.number, 31);
}

TEST(Words, ANumberedSpecialRegisterBeyondTheLastIsNone) {
  EXPECT_FALSE(special_of("%envreg32").has_value());
}

TEST(Words, BitsCountsBothHalvesOfAPackedType) {
  EXPECT_EQ(bits(Type::f16x2), 32U);
  EXPECT_EQ(bits(Type::e4m3x2), 16U);
}

TEST(Words, BitsOfAPredicateAreOneAndOfNoTypeNone) {
  EXPECT_EQ(bits(Type::pred), 1U);
  EXPECT_EQ(bits(Type::none), 0U);
}

TEST(Words, OnlySTypesAreSigned) {
  EXPECT_TRUE(is_signed(Type::s16x2));
  EXPECT_FALSE(is_signed(Type::b32));
  EXPECT_FALSE(is_signed(Type::f32));
}

TEST(Words, EightBitFloatsAreFloats) {
  EXPECT_TRUE(is_float(Type::e5m2));
  EXPECT_FALSE(is_float(Type::b16));
}

}  // namespace
}  // namespace emulator::ptx
