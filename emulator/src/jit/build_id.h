// Which build of the emulator this is.
#pragma once

#include <string>

namespace emulator::jit {

// The linker's mark (NT_GNU_BUILD_ID) of the library or program that contains the emulator; empty
// where it was linked without one.
[[nodiscard]] std::string build_id();

}  // namespace emulator::jit
