// Where a kernel's parameters and its shared and local variables lie.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ptx/ast.h"

namespace emulator::lower {

// A function's address is this and 16 times its number in the module: no host address (those of
// x86-64 have their upper 17 bits alike), so that nobody can read or write there.
inline constexpr std::uint64_t kFunctionAddresses = std::uint64_t{0xF0} << 48U;
inline constexpr std::uint64_t kFunctionAddressStep = 16;
[[nodiscard]] constexpr std::uint64_t function_address(std::size_t index) {
  return kFunctionAddresses + index * kFunctionAddressStep;
}

// Host addresses of the module's .global and .const variables.
using SymbolAddresses = std::map<std::string, std::uint64_t>;

// A variable of the block's shared memory, to name what lies at an offset.
struct SharedVariable {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  // 0: as many as the launch gives it
};

struct Layout {
  std::vector<std::uint64_t> parameters;  // offset of each
  std::uint64_t parameter_bytes = 0;
  // Of .shared and .local variables of the module, by index; meaningless for others.
  std::vector<std::uint64_t> module_offsets;
  std::vector<std::uint64_t> function_offsets;  // of .shared and .local variables of the body
  // Shared memory that belongs to the system (%reserved_smem_offset_*); of no bytes where the
  // kernel does not ask for it.
  std::uint32_t reserved_begin = 0;
  std::uint32_t reserved_end = 0;
  std::uint32_t static_shared_bytes = 0;  // where dynamic shared memory begins
  // The block is one of a cluster of several: where its window begins, and so what the address of a
  // shared variable is, only the block knows.
  bool clustered = false;
  std::vector<SharedVariable> shared;  // by offset
  std::uint64_t local_bytes =
      0;  // frame of one thread, a multiple of runtime::kLocalFrameAlignment
  // How far apart the lanes' frames lie for code that runs them together; 0 where threads run by
  // themselves.
  std::uint64_t local_stride = 0;
};

[[nodiscard]] Layout lay_out(const ptx::Module& module, const ptx::Function& function);

// The address of a variable where it is a constant: window offsets of shared and local variables;
// and of a function. Empty for .global and .const variables, parameters, call slots, local
// variables of functions that are called, whose frames lie elsewhere each time, and for shared
// variables of the blocks of a cluster. Throws ptx::Error for a .global or .const variable that
// `symbols` lacks.
[[nodiscard]] std::optional<std::uint64_t> address_of(
    const ptx::Module& module, const ptx::Function& function, const Layout& layout,
    const SymbolAddresses& symbols, const ptx::Symbol& symbol, ptx::Location where);

// Where a shared variable lies in its block's window.
[[nodiscard]] std::optional<std::uint64_t> offset_in_window(const ptx::Module& module,
                                                            const ptx::Function& function,
                                                            const Layout& layout,
                                                            const ptx::Symbol& symbol);

// The .global or .const variable that a symbol means, whose address is known only when the code is
// linked; null where it means something else.
[[nodiscard]] const ptx::Variable* linked_variable(const ptx::Module& module,
                                                   const ptx::Symbol& symbol);
// What machine code calls it.
[[nodiscard]] std::string link_name(const std::string& variable);

}  // namespace emulator::lower
