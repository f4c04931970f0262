// One compiled kernel for a range of sizes: where a case says that a size is known at run time
// only, the code must be the same whatever the size is.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "autokernel/cases/case.h"
#include "autokernel/compile/program.h"
#include "trial/inputs/sized_case.h"

namespace autokernel::trial {

// Of the program at each of these sizes, by its name: why two of them, which differ in runtime
// sizes alone, are not the same kernel; none where they are. Launches may differ.
[[nodiscard]] std::optional<std::string> differing_code(
    const cases::Case& problem, std::span<const SizedCase* const> sizes,
    const std::map<std::string, compile::Program>& programs);

// The functions in a text of PTX, without what stands between them.
[[nodiscard]] std::string functions_of(const std::string& ptx);

}  // namespace autokernel::trial
