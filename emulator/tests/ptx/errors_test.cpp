#include <gtest/gtest.h>

#include "ptx/parsing.h"

namespace emulator::ptx::testing {
namespace {

TEST(ModuleError, LocatedNamesLineAndColumn) {
  EXPECT_EQ(Error({3, 14}, "no such thing").located(), "line 3, column 14: no such thing");
}

TEST(ModuleError, WhatIsTheSentenceAlone) {
  EXPECT_STREQ(Error({3, 14}, "no such thing").what(), "no such thing");
}

TEST(ModuleError, AnEmptyTextIsRefused) {
  EXPECT_EQ(error_of(""), "line 1, column 1: expected '.version' but found the end of the text");
}

TEST(ModuleError, AMissingTargetIsRefused) {
  EXPECT_EQ(error_of(".version 9.0\n.entry f() { ret; }"),
            "line 2, column 1: expected '.target' but found '.entry'");
}

TEST(ModuleError, AVersionThatIsTooNewIsRefused) {
  EXPECT_EQ(
      error_of(".version 10.0\n.target sm_90"),
      "line 1, column 10: PTX version 10.0 is newer than the emulator knows; it reads versions "
      "up to 9");
}

TEST(ModuleError, AMalformedVersionIsRefused) {
  EXPECT_EQ(error_of(".version 9\n.target sm_90"), "line 1, column 10: malformed version '9'");
}

TEST(ModuleError, ThirtyTwoBitModulesAreRefused) {
  EXPECT_EQ(
      error_of(".version 9.0\n.target sm_90\n.address_size 32\n"),
      "line 3, column 15: only 64-bit PTX is supported by the emulator, not .address_size 32");
}

TEST(ModuleError, AnUnknownDirectiveIsRefusedByName) {
  EXPECT_EQ(error_of_module(".frob x;"), "line 4, column 1: unknown directive '.frob'");
}

TEST(ModuleError, AnUnknownDirectiveInAFunctionIsRefusedByName) {
  EXPECT_EQ(error_of_body(".frob x;"), "line 6, column 1: unknown directive '.frob' in a function");
}

TEST(ModuleError, AnInstructionOutsideAFunctionIsRefused) {
  EXPECT_EQ(error_of_module("ret;"), "line 4, column 1: expected a directive but found 'ret'");
}

TEST(ModuleError, ARegisterOutsideAFunctionIsRefused) {
  EXPECT_EQ(error_of_module(".reg .b32 x;"), "line 4, column 1: unknown directive '.reg'");
}

TEST(ModuleError, AFunctionWithoutBodyOrSemicolonIsRefused) {
  EXPECT_EQ(error_of_module(".func f()\nret;"),
            "line 5, column 1: expected '{' or ';' but found 'ret'");
}

TEST(ModuleError, ACharacterOutsidePtxIsRefused) {
  EXPECT_EQ(error_of_module("  #include"), "line 4, column 3: unexpected character '#'");
}

TEST(ModuleError, AnUnprintableCharacterIsShownInHexadecimal) {
  EXPECT_EQ(error_of_module("\x80"), "line 4, column 1: unexpected character '\\x80'");
}

TEST(ModuleError, AZeroByteIsRefused) {
  EXPECT_EQ(error_of(kHeader + std::string(1, '\0')),
            "line 4, column 1: unexpected character '\\x00'");
}

TEST(ModuleError, AnUnclosedCommentIsRefusedWhereItOpens) {
  EXPECT_EQ(error_of_module(" /* no end\n\n"), "line 4, column 2: a comment is not closed");
}

TEST(ModuleError, AnUnclosedStringIsRefusedWhereItOpens) {
  EXPECT_EQ(error_of_body(".pragma \"no end\n;"), "line 6, column 9: a string is not closed");
}

TEST(ModuleError, AnUnclosedSectionIsRefusedWhereItOpens) {
  EXPECT_EQ(error_of_module(".section .debug_str {\n.b8 0"),
            "line 4, column 21: '{' is not closed");
}

TEST(ModuleError, LinesAreCountedThroughComments) {
  EXPECT_EQ(error_of_module("// one\n/* two\n three */ .frob"),
            "line 6, column 11: unknown directive '.frob'");
}

TEST(ModuleError, LinesMayEndInCarriageReturns) {
  EXPECT_EQ(error_of_module("// one\r\n  .frob\r\n"),
            "line 5, column 3: unknown directive '.frob'");
}

TEST(ModuleError, AVeryLongNameIsCutInTheMessage) {
  const std::string name(1000000, 'x');
  EXPECT_EQ(error_of_body(name + ";"), "line 6, column 1: unknown opcode '" +
                                           std::string(200, 'x') + "...' in '" +
                                           std::string(200, 'x') + "...'");
}

TEST(InstructionError, AnOperandTooManyOrTooFewIsRefused) {
  EXPECT_EQ(error_of_body("add.s32 %r1, %r2;"),
            "line 6, column 1: 'add.s32 %r1, %r2' takes 3 operands, and has 2");
  EXPECT_EQ(error_of_body("add.s32 %r1, %r2, 1, 2;"),
            "line 6, column 1: 'add.s32 %r1, %r2, 1, 2' takes 3 operands, and has 4");
  EXPECT_EQ(error_of_body("pmevent;"), "line 6, column 1: 'pmevent' takes 1 operand, and has 0");
  EXPECT_EQ(error_of_body("bar.sync;"),
            "line 6, column 1: 'bar.sync' takes 1 to 2 operands, and has 0");
  EXPECT_EQ(error_of_body("membar.gl 1;"),
            "line 6, column 1: 'membar.gl 1' takes 0 operands, and has 1");
}

TEST(InstructionError, AnOperandThatAWordBringsIsCounted) {
  EXPECT_EQ(error_of_body("setp.lt.and.s32 %p1, %r1, %r2;"),
            "line 6, column 1: 'setp.lt.and.s32 %p1, %r1, %r2' takes 4 operands, and has 3");
  EXPECT_EQ(error_of_body("setp.lt.s32 %p1, %r1, %r2, %p2;"),
            "line 6, column 1: 'setp.lt.s32 %p1, %r1, %r2, %p2' takes 3 operands, and has 4");
}

TEST(InstructionError, AGuardThatIsNoPredicateIsRefused) {
  EXPECT_EQ(error_of_body("@%r1 add.s32 %r1, %r2, 1;"),
            "line 6, column 1: the guard is no predicate register in '@%r1 add.s32 %r1, %r2, 1'");
}

TEST(InstructionError, AProductOfAWarpgroupHasFourOperandsAtTheLeast) {
  EXPECT_EQ(error_of_body("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16;"),
            "line 6, column 1: 'wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16' takes 4 to 10 "
            "operands, and has 0");
}

TEST(InstructionError, TheOperandsOfAFormAreCounted) {
  EXPECT_EQ(error_of_body("bar.arrive 1;"),
            "line 6, column 1: 'bar.arrive 1' takes 2 operands, and has 1");
  EXPECT_EQ(error_of_body("barrier.cluster.arrive 1;"),
            "line 6, column 1: 'barrier.cluster.arrive 1' takes 0 operands, and has 1");
  EXPECT_EQ(error_of_body("cp.async.wait_group;"),
            "line 6, column 1: 'cp.async.wait_group' takes 1 operand, and has 0");
  EXPECT_EQ(error_of_body("st.bulk.weak.shared::cta [%r1], 16;"),
            "line 6, column 1: 'st.bulk.weak.shared::cta [%r1], 16' takes 3 operands, and has 2");
  EXPECT_EQ(
      error_of_body("mma.sync.aligned.block_scale 1, 2, 3, 4;"),
      "line 6, column 1: 'mma.sync.aligned.block_scale 1, 2, 3, 4' takes 8 to 10 operands, and "
      "has 4");
}

}  // namespace
}  // namespace emulator::ptx::testing
