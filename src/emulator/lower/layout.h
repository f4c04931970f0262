// Where a kernel's parameters and its shared and local variables lie.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulator/ptx/ast.h"

namespace emulator::lower {

// Host addresses of the module's .global and .const variables.
using SymbolAddresses = std::map<std::string, std::uint64_t>;

struct Layout {
  std::vector<std::uint64_t> parameters;  // offset of each
  std::uint64_t parameter_bytes = 0;
  std::vector<std::uint64_t>
      module_shared;  // offset by module variable index; meaningless for others
  std::vector<std::uint64_t> function_offsets;  // of .shared and .local variables of the body
  std::uint32_t static_shared_bytes = 0;        // where dynamic shared memory begins
  std::uint64_t local_bytes =
      0;  // frame of one thread, a multiple of runtime::kLocalFrameAlignment
};

[[nodiscard]] Layout lay_out(const ptx::Module& module, const ptx::Function& function);

// The address of a variable where it is a constant: window offsets of shared and local variables,
// host addresses of .global and .const ones. Empty for parameters and call slots. Throws ptx::Error
// where `symbols` lacks it.
[[nodiscard]] std::optional<std::uint64_t> address_of(
    const ptx::Module& module, const ptx::Function& function, const Layout& layout,
    const SymbolAddresses& symbols, const ptx::Symbol& symbol, ptx::Location where);

}  // namespace emulator::lower
