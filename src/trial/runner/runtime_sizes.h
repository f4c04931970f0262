// One compiled kernel for a range of sizes: where a case says that a size is known at run time
// only, the code must be the same whatever the size is.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autokernel/cases/case.h"
#include "autokernel/compile/program.h"
#include "trial/inputs/sized_case.h"

namespace autokernel::trial {

// Of the program at each of these sizes, by its name: why two of them, which differ in runtime
// sizes alone, are not the same kernel; none where they are. Launches may differ.
[[nodiscard]] std::optional<std::string> differing_code(
    const cases::Case& problem, std::span<const SizedCase* const> sizes,
    const std::map<std::string, compile::Program>& programs);

// A text of PTX without the declarations of these objects.
[[nodiscard]] std::string code_in(const std::string& ptx,
                                  const std::vector<std::string>& objects_left_out);

// Whether two sizes of the case differ in runtime sizes alone.
[[nodiscard]] bool share_code(const cases::Case& problem, const std::string& one,
                              const std::string& other);

}  // namespace autokernel::trial
