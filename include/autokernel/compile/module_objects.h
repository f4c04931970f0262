// What a program's code does with the variables of its module, as far as its PTX tells.
#pragma once

#include <string>
#include <vector>

#include "autokernel/compile/program.h"

namespace autokernel::compile {

// Whether the code names an object of its module beside declaring it: from the address of one it
// can reach all of them. The declarations of autokernel.cuh are in every module.
[[nodiscard]] bool uses_objects(const Program& program);

// Whether that kernel of a program's module names an object of it, or calls what may. Of code
// without PTX nothing is known.
[[nodiscard]] bool may_read_objects(const Program& program, const std::string& kernel);

// Those that a launch may leave other than they were: what the code does more with than load it by
// its name. Constant memory is none of them. Without PTX: all.
[[nodiscard]] std::vector<ModuleObject> changeable_objects(const Program& program);

}  // namespace autokernel::compile
