// Accesses that are checked together. Those of one block through the same register, as an unrolled
// loop has them, lie at constant distances: the first of them checks the stretch that all touch,
// and the others need no check. It pays twice, when the kernel runs and when it is compiled.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "ptx/ast.h"

namespace emulator::lower {

class Writer;

struct CheckGroup {
  struct Member {
    const ptx::Instruction* instruction;
    std::int64_t distance;  // of its address from the first one's
  };
  std::vector<Member> members;  // in the order of the text; the first leads
  // Of accesses that ranges claim to be inside: the stretch is compared with the end of their
  // memory, and nothing else is looked at.
  bool claimed = false;
  // What all lanes of all members touch, from the first one's scalar address.
  std::int64_t low = 0;
  std::int64_t high = 0;
  unsigned alignment = 1;  // of the widest
};

// By every member. Groups of a block that the writer has entered; `last` is not in it.
using CheckGroups = std::map<const ptx::Instruction*, std::shared_ptr<const CheckGroup>>;
[[nodiscard]] CheckGroups check_groups(Writer& writer, std::uint32_t first, std::uint32_t last);

}  // namespace emulator::lower
