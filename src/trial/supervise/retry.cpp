#include "autokernel/trial/retry.h"

#include <utility>

namespace autokernel::trial {
namespace {

// A runner that is lost with both kernels loaded does not say whose launch it was, nor whether it
// was anybody's.
[[nodiscard]] bool may_be_innocent(const Request& request, const Result& result) {
  return request.incumbent && result.lost_in == Phase::time;
}

}  // namespace

Result supervise_with_retry(Request request, const Limits& limits, const Observer& observer,
                            const RunnerCommand& runner) {
  if (request.incumbent) request.incumbent->is_confirmed = true;
  Result result = supervise(request, limits, observer, runner);
  if (may_be_innocent(request, result)) {
    const std::string first = std::move(result.reason);
    const double seconds = result.total_seconds;
    if (observer.note) observer.note(first + ", beside the incumbent: tried again");
    result = supervise(request, limits, observer, runner);
    result.total_seconds += seconds;
    if (!may_be_innocent(request, result)) {
      result.warnings.push_back(first + ", but not when it was tried again");
    }
  }
  return result;
}

}  // namespace autokernel::trial
