// The functions only kernels call whose threads run by themselves. As in entry_points.cpp, nothing
// in a frame that calls Block::abandon() may own anything.
#include <string>

#include "runtime/abi.h"
#include "runtime/block.h"

namespace emulator::runtime {
namespace {

void report(WarpContext& context, FaultKind kind, std::uint32_t line, const std::string& what) {
  context.block->progress().report({.kind = kind,
                                    .text = what + by_thread(context, context.lane, line),
                                    .line = line,
                                    .thread = fault_thread(context, context.lane)});
}

[[gnu::noinline]] void report_absence(WarpContext& context, std::uint32_t line) {
  report(context, FaultKind::bad_instruction, line,
         "warp-wide instruction whose mask leaves out the lane that runs it");
}

[[gnu::noinline]] void report_bad_call(WarpContext& context, std::uint32_t line,
                                       std::uint64_t address, bool known) {
  report(context, FaultKind::bad_call, line,
         "call of " + hex(address) +
             (known ? ", a function with other parameters than the call has"
                    : ", which is no function"));
}

}  // namespace

extern "C" {

std::uint32_t emu_meet(WarpContext* context, std::uint32_t kind, std::uint32_t members,
                       std::uint32_t operands, std::uint32_t line) {
  if (((members >> context->lane) & 1U) == 0) {
    report_absence(*context, line);
    context->block->abandon();
  }
  return context->block->meet({context->unit, kind, members, line}, operands);
}

void emu_deal(WarpContext* context, std::uint32_t lanes, std::uint32_t results) {
  context->block->deal(lanes, results);
}

void emu_bad_call(WarpContext* context, std::uint32_t line, std::uint64_t address,
                  std::uint32_t known) {
  report_bad_call(*context, line, address, known != 0);
  context->block->abandon();
}

}  // extern "C"

}  // namespace emulator::runtime
