// What an instruction does, as far as its opcode says: the columns of opcodes.def that do not need
// the lowering.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "ptx/words.h"

namespace emulator::ptx {

// How many operands it takes as it is written. Where that is a range, the function that writes the
// instruction knows which of its forms takes how many.
struct OperandRule {
  struct Range {
    std::uint8_t fewest;
    std::uint8_t most;
  };
  struct Form {
    Modifier word;
    Range range;
  };
  Range range;
  std::array<std::optional<Form>, 5> forms{};  // the first whose word it has counts instead
  std::array<std::optional<Modifier>, 3> one_more_each{};  // a policy of the cache and the like

  [[nodiscard]] constexpr OperandRule more_with(auto... words) const {
    return {range, forms, {words...}};
  }
  // The same, and as many with this word.
  [[nodiscard]] constexpr OperandRule with(Modifier word, std::uint8_t fewest,
                                           std::uint8_t most) const {
    OperandRule rule = *this;
    std::ranges::find(rule.forms, false, &std::optional<Form>::has_value)
        ->emplace(Form{word, {fewest, most}});
    return rule;
  }
  [[nodiscard]] constexpr OperandRule with(Modifier word, std::uint8_t number) const {
    return with(word, number, number);
  }
};

// What it is about.
enum class Group : std::uint8_t {
  number,
  bits,
  move,
  memory,
  stack,  // of a thread
  warp,
  matrix,  // on fragments of matrices, which lie across the lanes of a warp
  control,
  video,  // on parts of registers, which its operands may name
  refused,
};

// Whether the first operand receives a result. Of a call it is the list of results, empty or not.
struct ResultRule {
  enum class When : std::uint8_t { always, never, with_word, without_words };
  When when;
  std::array<Modifier, 2> words;
};

// What it does beside writing its result.
enum class Effect : std::uint8_t {
  pure,         // nothing that a computation could tell
  loads,        // from memory
  stores,       // to memory
  updates,      // memory, as one step
  fragments,    // loads or stores those of a matrix
  copies,       // memory to memory
  orders,       // what was done to memory before what is done behind it
  mbarrier,     // works on one
  barrier,      // lets threads wait for each other
  yields,       // lets other warps go on
  takes_stack,  // of its thread
  drops_stack,
  calls,  // a function, which may do anything
  jumps,  // or ends the thread
  stops,  // the launch
};

// Whether the lanes of a warp carry it out together, each on what the others bring.
struct LaneRule {
  enum class When : std::uint8_t { never, always, with_warp };  // with_warp: its .warp form
  When together;
  std::optional<std::uint8_t> members;  // the operand that names the lanes; none: it is all
  bool members_with_sync_only;          // without .sync it is all
};

struct OpcodeFacts {
  OperandRule operands;
  Group group;
  ResultRule result;
  Effect effect;
  LaneRule lanes;
};
[[nodiscard]] const OpcodeFacts& facts_of(Opcode opcode);

}  // namespace emulator::ptx
