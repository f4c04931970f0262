// The one hint that ends each report, by verdict: what to look at next.
#pragma once

#include <string>

#include "autokernel/trial/result.h"

namespace autokernel::trial {

[[nodiscard]] std::string advice_when_correct(const Result& result);
[[nodiscard]] std::string advice_when_incorrect(const Result& result);
[[nodiscard]] std::string advice_when_it_does_not_compile(const Result& result);
[[nodiscard]] std::string advice_when_timed_out(const Result& result);
[[nodiscard]] std::string advice_when_crashed(const Result& result);
[[nodiscard]] std::string advice_when_unsupported(const Result& result);

}  // namespace autokernel::trial
