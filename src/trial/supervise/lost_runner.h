// The end of a runner that gave no result: the verdict on the candidate, or the Error where the
// machine is to blame.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "autokernel/base/process.h"
#include "autokernel/trial/result.h"

namespace autokernel::trial {

// Each takes the phase the runner was in. Where that is `start`, `queue` or `harness`, the
// candidate cannot be the cause: they throw Error(environment).

// The deadline of the phase has passed.
// `whereabouts` says where the kernel's warps stand; may be empty.
[[nodiscard]] Result past_deadline(Phase phase, std::chrono::duration<double> limit,
                                   const std::string& whereabouts = {});
// It and its children used more processor time than the limit.
[[nodiscard]] Result past_processor_time(Phase phase, std::chrono::duration<double> limit);
// It and its children held more memory than the limit.
[[nodiscard]] Result over_memory_limit(Phase phase, std::uint64_t held, std::uint64_t limit);
// It ended without a result. Throws Error(internal) where it was not killed, quoting the last line
// it printed.
[[nodiscard]] Result ended_without_result(Phase phase, const Ending& ending,
                                          const std::string& printed);

}  // namespace autokernel::trial
