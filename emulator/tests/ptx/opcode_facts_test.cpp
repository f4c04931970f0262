#include "ptx/opcode_facts.h"

#include <gtest/gtest.h>

#include "ptx/ast.h"

namespace emulator::ptx {
namespace {

TEST(OpcodeFacts, ARowIsFoundByItsOpcode) {
  EXPECT_EQ(facts_of(Opcode::add).group, Group::number);
  EXPECT_EQ(facts_of(Opcode::st).effect, Effect::stores);
  EXPECT_EQ(facts_of(Opcode::tcgen05).group, Group::refused);
}

TEST(OpcodeFacts, ARowSaysHowManyOperandsThereAre) {
  const OperandRule& load = facts_of(Opcode::ld).operands;
  EXPECT_EQ(load.range.fewest, 2);
  EXPECT_EQ(load.range.most, 2);
  EXPECT_EQ(load.one_more_each[0], Modifier::L2_cache_hint);
  EXPECT_EQ(load.one_more_each[1], std::nullopt);
  EXPECT_EQ(facts_of(Opcode::bar).operands.forms[0]->word, Modifier::red);
  EXPECT_EQ(facts_of(Opcode::bar).operands.forms[0]->range.fewest, 3);
}

TEST(OpcodeFacts, ARowSaysWhetherThereIsAResult) {
  EXPECT_EQ(facts_of(Opcode::ld).result.when, ResultRule::When::always);
  EXPECT_EQ(facts_of(Opcode::st).result.when, ResultRule::When::never);
  EXPECT_EQ(facts_of(Opcode::bar).result.when, ResultRule::When::with_word);
  EXPECT_EQ(facts_of(Opcode::bar).result.words[0], Modifier::red);
}

TEST(OpcodeFacts, ARowSaysWhichOperandNamesTheLanes) {
  EXPECT_EQ(facts_of(Opcode::shfl).lanes.members, 4);
  EXPECT_TRUE(facts_of(Opcode::shfl).lanes.members_with_sync_only);
  EXPECT_EQ(facts_of(Opcode::mma).lanes.members, std::nullopt);
  EXPECT_EQ(facts_of(Opcode::add).lanes.together, LaneRule::When::never);
}

}  // namespace
}  // namespace emulator::ptx
