#include "cli/evaluate/traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/utc.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::cli {
namespace {

[[nodiscard]] const char* status_of(const trial::Result& result) {
  switch (result.verdict) {
    case trial::Verdict::correct:
      return "PASSED";
    case trial::Verdict::incorrect:
      return "INCORRECT_NUMERICAL";
    case trial::Verdict::does_not_compile:
      return "COMPILE_ERROR";
    case trial::Verdict::timed_out:
      return "TIMEOUT";
    case trial::Verdict::crashed:
    case trial::Verdict::unsupported:
      break;
  }
  return "RUNTIME_ERROR";
}

[[nodiscard]] bridge::SolutionRun run_of(const trial::Result& result) {
  constexpr double kMicroseconds = 1000;  // to a millisecond
  bridge::SolutionRun run{.status = status_of(result),
                          .hardware = result.device ? result.device->name : "none",
                          .libs = result.versions,
                          .log = result.reason,
                          .timestamp = utc_to_the_second()};
  if (result.differences) {
    run.max_absolute_error = result.differences->max_abs;
    run.max_relative_error = result.differences->max_rel;
  }
  if (result.times) run.latency_ms = result.times->median_us / kMicroseconds;
  if (result.comparison)
    run.reference_latency_ms = result.comparison->incumbent_times.median_us / kMicroseconds;
  return run;
}

}  // namespace

std::string traces_so_far(const std::string& file) {
  std::error_code unreadable;
  if (!std::filesystem::exists(file, unreadable)) return {};
  std::string text = read_file(file, "the traces so far");
  if (!text.empty() && !bridge::are_traces(text)) {
    throw Error(Stop::usage, fmt::format("cannot add traces to {}: it holds something else; name "
                                         "another file",
                                         visible_line(file)));
  }
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

std::string trace_lines(const SolutionInCase& solution, const cases::Case& problem,
                        const std::map<std::string, trial::Result>& results) {
  std::string lines;
  for (const bridge::WorkloadOfCase& workload : bridge::workloads_in_case(solution.definition)) {
    const auto found = std::ranges::find_if(results, [&](const auto& result) {
      return problem.sizes.at(result.first) == workload.symbols;
    });
    if (found == results.end()) continue;
    lines += bridge::trace_line(solution.solution, workload, run_of(found->second)) + "\n";
  }
  return lines;
}

}  // namespace autokernel::cli
