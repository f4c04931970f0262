// What a trial may come to: one table of the names, exit codes and advice that bench, the loop,
// their help and the documents use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autokernel/trial/result.h"

namespace autokernel::trial {

// A verdict, or for a correct kernel that was compared with another one the outcome.
struct Finding {
  const char* in_bench;  // `verdict` of bench, also in its JSON: "does_not_compile"
  const char* in_loop;   // `verdict` in the ledger and of the loop: "does not compile"
  const char* in_help;   // in a list of exit codes
  int exit_code;
  std::string (*advice)(const Result&);  // what to do next, in a sentence
};

[[nodiscard]] const Finding& finding(Verdict verdict);
[[nodiscard]] const Finding& finding(Outcome outcome);
[[nodiscard]] const Finding& finding(const Result& result);
// The one that the loop calls so; null for what comes of no trial: "interrupted".
[[nodiscard]] const Finding* finding_in_loop(std::string_view verdict);
[[nodiscard]] std::vector<Finding> all_findings();

}  // namespace autokernel::trial
