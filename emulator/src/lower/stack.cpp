// alloca, stacksave, stackrestore: memory of a thread's stack that a function takes as it runs.
// Only threads that run by themselves have such a stack.
#include <algorithm>
#include <bit>

#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;

void fault_unless(Writer& writer, const Instruction& instruction, const Value& good) {
  Ir& ir = writer.ir;
  const std::string bad = ir.label("stack.bad");
  const std::string go_on = ir.label("stack.good");
  ir.branch(ir.binary("xor", good, 1), bad, go_on, true);
  ir.begin_block(bad);
  writer.call("emu_fault", {number(static_cast<std::uint64_t>(runtime::FaultKind::stack)),
                            writer.mask(), number(instruction.where.line)});
  ir.line("unreachable");
  ir.begin_block(go_on);
}

// alloca d, size, alignment: frames are multiples of 16 bytes, and so is what is taken.
void allocate(Writer& writer, const Instruction& instruction) {
  constexpr std::uint64_t kLeast = runtime::kLocalFrameAlignment;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 23U;  // PTX: the greatest alignment
  std::uint64_t alignment = kLeast;
  if (instruction.operands.size() > 2) {
    const auto* written = std::get_if<ptx::Immediate>(&instruction.operands[2].value);
    if (written == nullptr || !std::has_single_bit(written->bits) || written->bits > kMost) {
      unsupported(instruction, "this alignment is not");
    }
    alignment = std::max(alignment, written->bits);
  }
  Ir& ir = writer.ir;
  const auto rounded_up = [&](const Value& value, std::uint64_t multiple) {
    return ir.binary("and", ir.binary("add", value, multiple - 1), ~(multiple - 1));
  };
  const Value limit = writer.local_window_bytes();
  const Value bytes = writer.read(instruction.operands.at(1), "i64", 1);
  // Before anything is added to it: a size from the program may be any number.
  fault_unless(writer, instruction, ir.compare("icmp ule", bytes, limit));
  const Value begin = rounded_up(writer.stack_top(), alignment);
  const Value end = rounded_up(ir.binary("add", begin, bytes), kLeast);
  fault_unless(writer, instruction, ir.compare("icmp ule", end, limit));
  writer.set_stack_top(end);
  writer.write_result(instruction, begin);
}

// stackrestore s: back to what stacksave gave, which lies between the function's frame and the top.
void restore(Writer& writer, const Instruction& instruction) {
  Ir& ir = writer.ir;
  const Value wanted = writer.read(instruction.operands.at(0), "i64", 1);
  const Value frame_end = ir.binary("add", writer.frame(), writer.layout().local_bytes);
  const Value inside = ir.binary("and", ir.compare("icmp uge", wanted, frame_end),
                                 ir.compare("icmp ule", wanted, writer.stack_top()));
  const Value whole =
      ir.compare("icmp eq", ir.binary("and", wanted, runtime::kLocalFrameAlignment - 1), 0);
  fault_unless(writer, instruction, ir.binary("and", inside, whole));
  writer.set_stack_top(wanted);
}

void require_stack(Writer& writer, const Instruction& instruction) {
  if (!writer.by_thread())
    unsupported(instruction, "lanes that run together have no stack, so it is not");
}

}  // namespace

void lower_alloca(Writer& writer, const Instruction& instruction) {
  require_stack(writer, instruction);
  allocate(writer, instruction);
}
void lower_stacksave(Writer& writer, const Instruction& instruction) {
  require_stack(writer, instruction);
  writer.write_result(instruction, writer.stack_top());
}
void lower_stackrestore(Writer& writer, const Instruction& instruction) {
  require_stack(writer, instruction);
  restore(writer, instruction);
}

}  // namespace emulator::lower
