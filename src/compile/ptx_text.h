// What PTX says of its kernels' parameters and of variables that live as long as the module: read
// from the text where there is no cubin.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/compile/program.h"

namespace autokernel::compile {

// In order; none where the text has no kernel of that name, or it cannot be read.
[[nodiscard]] std::optional<std::vector<Parameter>> ptx_parameters(std::string_view ptx,
                                                                   const std::string& kernel);

// Variables in device and constant memory that the module defines. What they hold at first is not
// told. None where a declaration cannot be read.
[[nodiscard]] std::optional<std::vector<ModuleObject>> ptx_objects(std::string_view ptx);

// Whether all variables in device and constant memory are declared one by one, outside functions,
// as compilers write them: ptx_objects() reads these alone.
[[nodiscard]] bool declares_variables_plainly(std::string_view ptx);

}  // namespace autokernel::compile
