// Several modules as one, the way a linker of relocatable device code makes one of them.
#pragma once

#include <vector>

#include "ptx/ast.h"

namespace emulator::ptx {

// What one module declares .extern means what another defines; names without linkage stay apart and
// get new names where they clash. What nobody defines is still a declaration afterwards. The
// version and target are the latest of all. Throws Error where two modules define the same name or
// disagree on what it is. `modules` is not empty.
[[nodiscard]] Module link(std::vector<Module> modules);

}  // namespace emulator::ptx
