// Messages to begin with, written by the program itself: text kept in a file would be refused as
// soon as a field is added.
#pragma once

#include <string>
#include <vector>

namespace autokernel::fuzz {

[[nodiscard]] std::vector<std::string> message_seeds();

}  // namespace autokernel::fuzz
