// What is wrong with the answers of a load, beside those that failed.
#pragma once

#include <vector>

#include "autokernel/lab/load_figures.h"

namespace autokernel::lab {

// Tokens of an answer as `count` says, with usage where that is missing.
[[nodiscard]] std::size_t tokens_of(const RequestOutcome& outcome, TokenCount count);

// (last - first) / (tokens - 1), in seconds; none for fewer than two tokens.
[[nodiscard]] std::optional<double> time_per_token(const RequestOutcome& outcome, TokenCount count);

// Usage that the text belies, answers out of a cache, answers much slower than the others, and the
// failures with an example of each.
[[nodiscard]] std::vector<LoadFinding> findings_in(const LoadRun& run, TokenCount count);

}  // namespace autokernel::lab
