#include "trial/runner/remembering_front_end.h"

#include <algorithm>
#include <exception>
#include <optional>

namespace autokernel::trial {

compile::Compilation RememberingFrontEnd::compile(const compile::Request& request) const {
  std::promise<compile::Compilation> promise;
  std::optional<Compiling> known;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(
        known_, [&](const auto& compiling) { return compiling.first == request; });
    if (found != known_.end()) {
      known = found->second;
    } else {
      known_.emplace_back(request, promise.get_future().share());
    }
  }
  if (known) return known->get();
  try {
    compile::Compilation made = front_end_->compile(request);
    promise.set_value(made);
    return made;
  } catch (...) {
    promise.set_exception(std::current_exception());
    throw;
  }
}

}  // namespace autokernel::trial
