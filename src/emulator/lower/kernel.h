// Lowers one kernel, for one launch shape, to a module of textual LLVM IR.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/lower/analysis.h"
#include "emulator/lower/layout.h"
#include "emulator/ptx/ast.h"
#include "emulator/runtime/abi.h"

namespace emulator::lower {

struct LoweredKernel {
  std::string ir;                       // defines `void @<name>(ptr)`, a runtime::WarpFunction
  std::vector<runtime::Site> sites;     // `text` is null
  std::vector<std::string> site_texts;  // one per site
  Layout layout;
  bool may_suspend = false;  // it calls emu_barrier or emu_yield
};

// Where a kernel's parameters and variables lie, those of the functions it calls included.
[[nodiscard]] Layout layout_of(const ptx::Module& module, const ptx::Function& kernel);

// Throws ptx::Error at the first instruction that is not supported.
[[nodiscard]] LoweredKernel lower_kernel(const ptx::Module& module, const ptx::Function& function,
                                         const LaunchShape& shape, const SymbolAddresses& symbols,
                                         const std::string& name);

}  // namespace emulator::lower
