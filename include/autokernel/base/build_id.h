// Which build of the program this is.
#pragma once

#include <string>

namespace autokernel {

// The id that the linker gave the running program (the note NT_GNU_BUILD_ID), in hexadecimal
// digits: the same for copies, also stripped ones. "unknown" where it gave none.
[[nodiscard]] std::string own_build_id();

}  // namespace autokernel
