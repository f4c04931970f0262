#include "autokernel/base/json_bounds.h"

namespace autokernel::document {

const char* excess_of(std::string_view json, const JsonBounds& bounds) {
  int depth = 0;
  std::size_t values = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
      continue;
    }
    switch (c) {
      case '"':
        in_text = true;
        break;
      case '[':
      case '{':
        if (++depth > bounds.deepest) return "is nested too deeply";
        ++values;
        break;
      case ']':
      case '}':
        --depth;
        break;
      case ',':
        ++values;
        break;
      default:
        break;
    }
    if (values > bounds.most_values) return "has too many values";
  }
  return nullptr;
}

}  // namespace autokernel::document
