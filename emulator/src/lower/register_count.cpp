// setmaxnreg: warps of a block give registers up and take them.
#include <algorithm>

#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;

// PTX ISA, setmaxnreg: which numbers there are.
constexpr std::uint64_t kFewestRegisters = 24;
constexpr std::uint64_t kMostRegisters = 256;
constexpr std::uint64_t kRegisterStep = 8;

constexpr std::uint32_t kRegistersOfMultiprocessor = 65536;  // of sm_90
constexpr std::uint32_t kMostOfThread = 255;

// With how many a thread begins: as many as the kernel says, or as its largest block leaves for
// each. NVIDIA's assembler ignores the instruction where neither says anything; so does this: 0.
std::uint32_t registers_at_entry(const ptx::Function& function) {
  if (function.max_registers) return *function.max_registers;
  for (const auto& shape : {function.required_threads, function.max_threads}) {
    if (!shape) continue;
    const std::uint32_t threads = (*shape)[0] * (*shape)[1] * (*shape)[2];
    if (threads == 0) return 0;
    const std::uint32_t each = kRegistersOfMultiprocessor / threads;
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(each / kRegisterStep * kRegisterStep, kMostOfThread));
  }
  return 0;
}

}  // namespace

void lower_setmaxnreg(Writer& writer, const Instruction& instruction) {
  const auto* count = instruction.operands.size() == 1
                          ? std::get_if<ptx::Immediate>(&instruction.operands[0].value)
                          : nullptr;
  const bool takes = instruction.has(Modifier::inc);
  if (count == nullptr || takes == instruction.has(Modifier::dec)) unsupported(instruction);
  if (count->bits < kFewestRegisters || count->bits > kMostRegisters ||
      count->bits % kRegisterStep != 0)
    unsupported(instruction, "a number of registers is a multiple of 8 from 24 to 256");
  const std::uint32_t at_entry = registers_at_entry(writer.function());
  if (at_entry == 0) return;
  writer.note_suspension();
  writer.call("emu_registers", {writer.mask(), number(instruction.where.line), number(at_entry),
                                number(count->bits), number(takes ? 1 : 0)});
}

}  // namespace emulator::lower
