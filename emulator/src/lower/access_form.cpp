#include "lower/access_form.h"

#include <algorithm>
#include <array>
#include <variant>
#include <vector>

#include "lower/access_strategy.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Space;
using ptx::Type;

constexpr unsigned kLongestOfAll = 16;  // bytes; but for accesses of 256 bits (sm_100)
constexpr unsigned kLong = 32;

bool is_long(const Instruction& instruction) { return lane_bytes(instruction) == kLong; }

// PTX ISA, ld and st: .v8 of 32 bits and .v4 of 64, of global memory alone.
void require_long_form(const Instruction& instruction) {
  static constexpr std::array kTypes = {Type::b32, Type::u32, Type::s32, Type::f32,
                                        Type::b64, Type::u64, Type::s64, Type::f64};
  const bool accesses = instruction.opcode == Opcode::ld || instruction.opcode == Opcode::st;
  if (!accesses || std::ranges::find(kTypes, instruction.type()) == kTypes.end()) {
    unsupported(instruction, "its vector is too long");
  }
  const bool global = instruction.space == Space::global || !instruction.names_space;
  if (!global || instruction.has(Modifier::async)) {
    unsupported(instruction, "accesses of 256 bits are of global memory");
  }
}

void require_words(const Instruction& instruction) {
  for (const Modifier word :
       {Modifier::L2_evict_last, Modifier::L2_evict_normal, Modifier::L2_evict_first}) {
    if (instruction.has(word) && !is_long(instruction)) {
      unsupported(instruction, "its eviction from L2 is of accesses of 256 bits");
    }
  }
  if (instruction.has(Modifier::mmio) && instruction.vector_width > 1) {
    unsupported(instruction, "'.mmio' is of no vectors");
  }
}

// What a sink stands for is not loaded, or not stored.
void require_elements(const Instruction& instruction) {
  const bool stores = instruction.opcode == Opcode::st;
  const std::vector<ptx::Operand> elements = elements_of(instruction.operands.at(stores ? 1 : 0));
  const auto sinks = std::ranges::count_if(elements, [](const ptx::Operand& element) {
    return std::holds_alternative<ptx::Sink>(element.value);
  });
  if (sinks == std::ssize(elements)) unsupported(instruction, "it leaves all elements out");
  if (stores && sinks > 0 && !is_long(instruction)) {
    unsupported(instruction, "only stores of 256 bits leave elements out");
  }
}

// PTX ISA, st.async and red.async: .release has a scope of more than a cluster.
void require_release(const Instruction& instruction) {
  const bool scope = instruction.has(Modifier::gpu) || instruction.has(Modifier::sys);
  const bool others = instruction.has(Modifier::cta) || instruction.has(Modifier::cluster) ||
                      instruction.has(Modifier::relaxed) || instruction.has(Modifier::weak);
  if (!instruction.has(Modifier::release) || !scope || others) {
    unsupported(instruction, "it completes at an mbarrier, or by '.release' and a scope");
  }
  const bool global = instruction.space == Space::global || !instruction.names_space;
  if (!global || instruction.vector_width > 1 || ptx::bits(instruction.type()) > 64) {
    unsupported(instruction, "with '.release' it is of one element of global memory");
  }
  if (instruction.operands.size() != 2) unsupported(instruction, "it has 2 operands");
}

}  // namespace

Completion completion_of(const Instruction& instruction) {
  if (!instruction.has(Modifier::mbarrier_complete_tx_bytes)) {
    require_release(instruction);
    return Completion::by_release;
  }
  const bool shared = instruction.space == Space::shared || !instruction.names_space;
  if (!shared || instruction.has(Modifier::mmio) || instruction.has(Modifier::release)) {
    unsupported(instruction, "at an mbarrier it is of shared memory, and no release");
  }
  if (instruction.operands.size() != 3) unsupported(instruction, "it has 3 operands");
  return Completion::at_mbarrier;
}

void require_access_form(const Instruction& instruction) {
  if (lane_bytes(instruction) > kLongestOfAll || instruction.vector_width == 8) {
    if (!is_long(instruction)) unsupported(instruction, "its vector is too long");
    require_long_form(instruction);
  }
  require_words(instruction);
  require_elements(instruction);
}

}  // namespace emulator::lower
