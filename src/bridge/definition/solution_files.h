// A solution in Python in the folder of a kernel: its files in a folder of their own, and
// kernel.py, which names its function.
#pragma once

#include <cstdint>
#include <string>

#include "autokernel/base/document_json.h"
#include "autokernel/bridge/solution.h"

namespace autokernel::bridge {

inline constexpr const char* kSolutionFolder = "solution";
// What the solution says of itself, without the text of its files, which lie beside it.
inline constexpr const char* kSolutionFile = "solution/solution.json";

enum class Sources : std::uint8_t {
  whole,   // with their text
  by_path  // by their paths alone
};
// Throws Error(usage), which names `file`, for what is no solution.
[[nodiscard]] Solution solution_of(const std::string& file, const document::Json& json,
                                   Sources sources);

// The text of kernel.py.
[[nodiscard]] std::string adapter_of(const Solution& solution, const document::Json& problem);

}  // namespace autokernel::bridge
