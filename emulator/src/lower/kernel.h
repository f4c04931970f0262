// Lowers one kernel, for one launch shape, to a module of textual LLVM IR: for warps whose lanes
// run together, or where that will not do for threads that run by themselves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lower/analysis.h"
#include "lower/claims.h"
#include "lower/layout.h"
#include "lower/parts.h"
#include "ptx/ast.h"
#include "runtime/abi.h"

namespace emulator::lower {

// What decides whether warps or threads run.
enum class EngineChoice : std::uint8_t {
  automatic,  // the kernel: threads where lanes come to barriers one by one, or functions call
              // themselves or each other through pointers
  warps,      // refuses what they cannot run
  threads,
};

struct LoweredKernel {
  // IR. The first defines `void @<name>(ptr)`, a runtime::WarpFunction; the others what it calls.
  std::vector<std::string> modules;
  std::vector<runtime::Site> sites;     // `text` is null
  std::vector<std::string> site_texts;  // one per site
  Layout layout;
  bool may_suspend = false;  // it calls emu_barrier or emu_yield
  runtime::Unit unit = runtime::Unit::warp;
  std::uint64_t local_bytes = 0;  // of one thread; of its calls too
  bool grows_stack = false;       // calls or alloca may take more than that
};

// Where a kernel's parameters and variables lie, those of the functions it calls included. Does not
// look for lanes that come to barriers one by one, which changes little of it.
[[nodiscard]] Layout layout_of(const ptx::Module& module, const ptx::Function& kernel,
                               EngineChoice choice = EngineChoice::automatic);

// Throws ptx::Error at the first instruction that is not supported.
[[nodiscard]] LoweredKernel lower_kernel(const ptx::Module& module, const ptx::Function& function,
                                         const LaunchShape& shape, const SymbolAddresses& symbols,
                                         const std::string& name,
                                         EngineChoice choice = EngineChoice::automatic,
                                         PartsChoice parts = PartsChoice::automatic,
                                         ClaimsChoice claims = ClaimsChoice::used);

}  // namespace emulator::lower
