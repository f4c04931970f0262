#include "runtime/checker.h"

#include <string>

namespace emulator::runtime {

// Not inlined anywhere: the strings must be gone before the block is abandoned.
[[gnu::noinline]] void report_access(WarpContext& context, const Site& site, unsigned lane,
                                     std::uint64_t address, std::uint64_t bytes,
                                     std::uint64_t alignment) {
  context.block->progress().report(access_fault(context, site, lane, address, bytes, alignment));
}

[[gnu::noinline]] void report_text(WarpContext& context, FaultKind kind, unsigned lane,
                                   std::uint32_t line, const char* what) {
  context.block->progress().report({.kind = kind,
                                    .text = what + by_thread(context, lane, line),
                                    .line = line,
                                    .thread = fault_thread(context, lane)});
}

void fault_access(WarpContext& context, const Site& site, unsigned lane, std::uint64_t address,
                  std::uint64_t bytes, std::uint64_t alignment) {
  report_access(context, site, lane, address, bytes, alignment);
  context.block->abandon();
}

}  // namespace emulator::runtime
