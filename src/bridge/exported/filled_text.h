// Texts with places for what differs from one export to the next.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace autokernel::bridge {

// Replaces every "@PLACE@". What is put there is not looked at again.
[[nodiscard]] std::string filled(const std::string& text,
                                 const std::vector<std::pair<std::string, std::string>>& places);

}  // namespace autokernel::bridge
