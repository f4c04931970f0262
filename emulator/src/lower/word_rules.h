// Which dotted words and types the instructions of an opcode may have: the last column of
// ptx/opcodes.def. Of those whose forms are few enough to be listed (arithmetic, logic,
// comparisons, conversions, atomics) it says which go together: what NVIDIA's assembler refuses
// would run here and nowhere else.
#pragma once

#include <optional>
#include <vector>

#include "ptx/ast.h"

namespace emulator::lower {

using Words = std::vector<ptx::Modifier>;
using Types = std::vector<ptx::Type>;

// All of `all`, one of `one` where it names any, and nothing else but `may`. `types` are those of
// the last type, `results` those of the one before it; none named: there is none.
struct Pattern {
  Types types;
  Words one{};
  Words may{};
  Words all{};
  Types results{};
};
using Patterns = std::vector<Pattern>;

struct WordRule {
  const char* lacking = nullptr;  // why the emulator has none of it, whatever the words
  bool any = false;               // no word changes what it does
  // Its patterns are for those instructions alone; null: for all, where there are any.
  bool (*has_pattern)(const ptx::Instruction&) = nullptr;
  Patterns patterns{};
  Words words{};  // those of an instruction that has no pattern, in any combination
};
[[nodiscard]] const WordRule& word_rule(ptx::Opcode opcode);

}  // namespace emulator::lower
