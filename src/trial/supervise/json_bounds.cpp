#include "trial/supervise/json_bounds.h"

#include <cstddef>

namespace autokernel::trial {
namespace {

// A case in a task is the deepest of ours: eight.
constexpr int kDeepest = 32;
// A result has two for each key that was drawn, and some for each launch that was timed
// (launch_account.cpp bounds both).
constexpr std::size_t kMostValues = std::size_t{1} << 21U;

}  // namespace

const char* excess_of(std::string_view json) {
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
        if (++depth > kDeepest) return "is nested too deeply";
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
    if (values > kMostValues) return "has too many values";
  }
  return nullptr;
}

}  // namespace autokernel::trial
