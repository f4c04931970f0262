#include "bridge/exported/filled_text.h"

#include <algorithm>

namespace autokernel::bridge {

std::string filled(const std::string& text,
                   const std::vector<std::pair<std::string, std::string>>& places) {
  std::string made;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find('@', at);
    made.append(text, at, open - at);
    if (open == std::string::npos) break;
    const std::size_t close = text.find('@', open + 1);
    const std::string name =
        close == std::string::npos ? "" : text.substr(open + 1, close - open - 1);
    const auto found = std::ranges::find(places, name, [](const auto& each) { return each.first; });
    if (found == places.end()) {
      made += '@';
      at = open + 1;
    } else {
      made += found->second;
      at = close + 1;
    }
  }
  return made;
}

}  // namespace autokernel::bridge
