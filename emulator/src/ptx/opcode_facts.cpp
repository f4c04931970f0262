#include "ptx/opcode_facts.h"

#include <cstddef>

namespace emulator::ptx {
namespace {

using M = Modifier;

namespace operand_rules {

constexpr OperandRule takes(std::uint8_t fewest, std::uint8_t most) {
  return {.range = {fewest, most}};
}
constexpr OperandRule takes(std::uint8_t number) { return takes(number, number); }
// Of what is refused whatever its operands are.
constexpr OperandRule any_number() { return takes(0, UINT8_MAX); }

}  // namespace operand_rules

namespace results {

constexpr ResultRule result{ResultRule::When::always, {}};
constexpr ResultRule no_result{ResultRule::When::never, {}};
constexpr ResultRule result_with(M word) { return {ResultRule::When::with_word, {word, word}}; }
constexpr ResultRule no_result_with(M word, M other) {
  return {ResultRule::When::without_words, {word, other}};
}
constexpr ResultRule no_result_with(M word) { return no_result_with(word, word); }

}  // namespace results

namespace lane_rules {

constexpr LaneRule each_lane{LaneRule::When::never, std::nullopt, false};
constexpr LaneRule whole_warp{LaneRule::When::always, std::nullopt, false};
constexpr LaneRule members(std::uint8_t operand) {
  return {LaneRule::When::always, operand, false};
}
constexpr LaneRule members_if_sync(std::uint8_t operand) {
  return {LaneRule::When::always, operand, true};
}
constexpr LaneRule warp_form(std::uint8_t operand) {
  return {LaneRule::When::with_warp, operand, false};
}

}  // namespace lane_rules

#define OPCODE(opcode, spelling, operands, group, result, effect, lanes, ...)         \
  OpcodeFacts{operand_rules::operands, Group::group, results::result, Effect::effect, \
              lane_rules::lanes},
constexpr auto kFacts = std::to_array<OpcodeFacts>({
#include "ptx/opcodes.def"
});

}  // namespace

const OpcodeFacts& facts_of(Opcode opcode) { return kFacts.at(static_cast<std::size_t>(opcode)); }

}  // namespace emulator::ptx
