#include "trial/supervise/json_bounds.h"

#include <cstddef>

#include "autokernel/base/json_bounds.h"

namespace autokernel::trial {
namespace {

// A case in a task is the deepest of ours: eight. A result has two values for each key that was
// drawn, and some for each launch that was timed (launch_account.cpp bounds both).
constexpr document::JsonBounds kBounds = {.deepest = 32, .most_values = std::size_t{1} << 21U};

}  // namespace

const char* excess_of(std::string_view json) { return document::excess_of(json, kBounds); }

}  // namespace autokernel::trial
