// Environment variables by name, of this process or for one that it starts.
#pragma once

#include <map>
#include <string>

namespace autokernel {

using Variables = std::map<std::string, std::string>;

// Those that this process has now.
[[nodiscard]] Variables own_variables();

}  // namespace autokernel
