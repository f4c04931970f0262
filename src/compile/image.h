// What the harness must know about a compiled module, read from its cubin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/compile/program.h"
#include "compile/elf.h"

namespace autokernel::compile {

// Bytes of the constant `name`; none where the module has no such constant. Throws BadElf.
[[nodiscard]] std::optional<std::vector<std::byte>> constant_bytes(const Elf& elf,
                                                                   const std::string& name);

// Names of the constants that begin with `prefix`.
[[nodiscard]] std::vector<std::string> constants_called(const Elf& elf, std::string_view prefix);

// The functions whose addresses the constant `name` holds, itself or by the address of a constant
// that holds nothing else: where in it, and which. Throws BadElf.
[[nodiscard]] std::map<std::uint64_t, std::string> functions_in(const Elf& elf,
                                                                const std::string& name);

// Every object that lives as long as the module: device memory and, as its generic address can be
// stored to as well, constant memory. Constness in the source is no protection, so constants of the
// language are among them. Throws Refused where memory belongs to no name, or two objects share
// one: it could not be restored. So it does where the capsule of the image (elf.h) has other
// objects than its machine code.
[[nodiscard]] std::vector<ModuleObject> module_objects(const Elf& elf,
                                                       const std::string& file_name);

// Whether the symbol is a __global__ function.
[[nodiscard]] bool is_kernel(const ElfSymbol& symbol);

// Names of the __global__ functions.
[[nodiscard]] std::vector<std::string> kernels(const Elf& elf);

// Throws Refused where the module calls a function that it does not hold, other than those of a
// short list: malloc's memory, for one, outlives the launch.
void require_known_calls(const Elf& elf, const Source& source);

}  // namespace autokernel::compile
