// Which defences stand in the second program: all but those that a variable of the environment
// names.
#pragma once

#include <string>
#include <vector>

namespace autokernel::test {

// "fresh_keys,restored_module".
inline constexpr const char* kSwitch = "AUTOKERNEL_TEST_WITHOUT_DEFENCES";

[[nodiscard]] std::vector<std::string> names_of_defences();

}  // namespace autokernel::test
