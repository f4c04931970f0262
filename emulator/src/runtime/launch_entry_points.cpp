// What compiled kernels call to wait for the launches before theirs, and to let the next one begin.
#include "runtime/abi.h"
#include "runtime/block.h"

namespace emulator::runtime {

extern "C" {

void emu_await_launches(WarpContext* context, std::uint32_t line) {
  context->block->await_launches(context->unit, line);
}

void emu_trigger(WarpContext* context) { context->block->trigger(); }

}  // extern "C"

}  // namespace emulator::runtime
