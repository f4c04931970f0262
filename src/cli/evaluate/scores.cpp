#include "cli/evaluate/scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "autokernel/base/document_json.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/trial/roofline.h"
#include "autokernel/trial/verdicts.h"
#include "cli/key_lines.h"
#include "cli/table_cells.h"

namespace autokernel::cli {
namespace {

using document::Json;

// Of KernelBench's own analysis (scripts/benchmark_eval_analysis.py).
constexpr std::array kSpeedups = {0.0, 0.5, 0.8, 1.0, 1.5, 2.0};
constexpr double kPerMillisecond = 1000;  // microseconds

// Means over what has a baseline.
struct Sums {
  double log_speedup = 0;
  double sol_score = 0;
  std::size_t speedups = 0;
  std::size_t sol_scores = 0;
};

void add_doubt(SolutionScore& score, std::string doubt) {
  if (std::ranges::find(score.doubts, doubt) == score.doubts.end())
    score.doubts.push_back(std::move(doubt));
}

// Of KernelBench's file at the size that is the file's own, of a workload at the sizes that have
// its values.
[[nodiscard]] std::optional<bridge::BaselineTime> time_of(
    const SolutionInCase& solution, const std::vector<bridge::WorkloadOfCase>& workloads,
    const cases::Case& problem, const std::string& size, const bridge::BaselineTimes& times) {
  if (solution.is_submission()) {
    const auto found = times.of_problems.find(solution.problem);
    if (size != "default" || found == times.of_problems.end()) return std::nullopt;
    return found->second;
  }
  for (const bridge::WorkloadOfCase& workload : workloads) {
    if (workload.symbols != problem.sizes.at(size)) continue;
    const auto found = times.of_workloads.find(workload.uuid);
    if (found != times.of_workloads.end()) return found->second;
  }
  return std::nullopt;
}

// None where there is no baseline, or it says nothing about this device.
[[nodiscard]] std::optional<double> baseline_us(const std::optional<bridge::BaselineTime>& time,
                                                const trial::Result& result, SolutionScore& score) {
  if (!time) return std::nullopt;
  if (!result.device || result.device->emulated) {
    add_doubt(score, "no speedup: the baseline's times are of a GPU, and this is none");
    return std::nullopt;
  }
  if (!time->hardware.empty() && time->hardware != result.device->name) {
    add_doubt(score, fmt::format("the baseline is of {}, and this is {}", time->hardware,
                                 result.device->name));
  }
  return time->ms * kPerMillisecond;
}

void add_size(const trial::Result& result, double base_us, Sums& sums) {
  if (!result.times) return;
  sums.log_speedup += std::log(base_us / result.times->median_us);
  ++sums.speedups;
  if (const auto sol = trial::sol_score(result, base_us)) {
    sums.sol_score += *sol;
    ++sums.sol_scores;
  }
}

[[nodiscard]] std::size_t count_right(const std::vector<SolutionScore>& scores) {
  return static_cast<std::size_t>(std::ranges::count_if(scores, &SolutionScore::is_right));
}

[[nodiscard]] double fast_p(const std::vector<SolutionScore>& scores, double p) {
  const auto fast = std::ranges::count_if(scores, [&](const SolutionScore& each) {
    return each.is_right && each.speedup.value_or(0) > p;
  });
  return static_cast<double>(fast) / static_cast<double>(scores.size());
}

// Over what is right and has a value; none where nothing is.
template <typename Value>
[[nodiscard]] std::optional<double> mean_of(const std::vector<SolutionScore>& scores, Value value) {
  double sum = 0;
  std::size_t count = 0;
  for (const SolutionScore& each : scores) {
    const std::optional<double> known = each.is_right ? value(each) : std::nullopt;
    if (!known) continue;
    sum += *known;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

[[nodiscard]] std::optional<double> mean_speedup(const std::vector<SolutionScore>& scores) {
  const auto logarithm = mean_of(scores, [](const SolutionScore& each) -> std::optional<double> {
    if (!each.speedup) return std::nullopt;
    return std::log(*each.speedup);
  });
  if (!logarithm) return std::nullopt;
  return std::exp(*logarithm);
}

[[nodiscard]] std::optional<double> mean_sol_score(const std::vector<SolutionScore>& scores) {
  return mean_of(scores, [](const SolutionScore& each) { return each.sol_score; });
}

[[nodiscard]] bool has_speedups(const std::vector<SolutionScore>& scores) {
  return std::ranges::any_of(scores,
                             [](const SolutionScore& each) { return each.speedup.has_value(); });
}

}  // namespace

SolutionScore score_of(const SolutionInCase& solution, const cases::Case& problem,
                       const std::map<std::string, trial::Result>& results,
                       const std::optional<bridge::BaselineTimes>& baseline) {
  SolutionScore score{.file = solution.file,
                      .is_right = !results.empty(),
                      .speedup = {},
                      .sol_score = {},
                      .why_not = {},
                      .doubts = {}};
  std::vector<bridge::WorkloadOfCase> workloads;
  if (baseline && !solution.is_submission())
    workloads = bridge::workloads_in_case(solution.definition);
  Sums sums;
  for (const auto& [size, result] : results) {
    if (result.verdict != trial::Verdict::correct) {
      score.is_right = false;
      if (score.why_not.empty()) {
        score.why_not =
            fmt::format("{}: {}: {}", size, trial::finding(result).in_bench, result.reason);
      }
    }
    if (!result.times || result.times->median_us <= 0) continue;
    if (baseline) {
      const auto base =
          baseline_us(time_of(solution, workloads, problem, size, *baseline), result, score);
      if (base) add_size(result, *base, sums);
    } else if (result.comparison) {
      add_size(result, result.comparison->incumbent_times.median_us, sums);
    }
  }
  if (sums.speedups > 0)
    score.speedup = std::exp(sums.log_speedup / static_cast<double>(sums.speedups));
  if (sums.sol_scores > 0) score.sol_score = sums.sol_score / static_cast<double>(sums.sol_scores);
  if (baseline && sums.speedups == 0 && score.doubts.empty())
    add_doubt(score, "no speedup: the baseline has no time of what was measured");
  return score;
}

std::string scores_text(const std::vector<SolutionScore>& scores) {
  std::size_t longest = std::string("solution").size();
  for (const SolutionScore& each : scores)
    longest = std::max(longest, visible_line(each.file).size());
  std::string text = fmt::format("---\n{:<{}}  right  speedup  sol_score\n", "solution", longest);
  for (const SolutionScore& each : scores) {
    text += fmt::format("{:<{}}  {:>5}  {:>7}  {:>9}", visible_line(each.file), longest,
                        each.is_right ? "yes" : "no",
                        cell(each.is_right ? each.speedup : std::nullopt, 3),
                        cell(each.is_right ? each.sol_score : std::nullopt, 3));
    if (!each.why_not.empty()) text += "  " + first_visible_line(each.why_not);
    text += '\n';
  }
  KeyLines lines;
  lines.add("right", fmt::format("{} of {}", count_right(scores), scores.size()));
  if (has_speedups(scores)) {
    std::string shares;
    for (const double p : kSpeedups)
      shares += fmt::format("{}{:.3f} at {:.1f}", shares.empty() ? "" : ", ", fast_p(scores, p), p);
    lines.add("fast_p", shares);
  }
  lines.add("geomean_speedup", mean_speedup(scores), 3);
  lines.add("mean_sol_score", mean_sol_score(scores), 3);
  return text + lines.take();
}

std::string scores_record(const std::vector<SolutionScore>& scores) {
  constexpr int kSchemaVersion = 1;
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json();
  };
  Json solutions = Json::array();
  for (const SolutionScore& each : scores) {
    solutions.push_back({{"file", each.file},
                         {"right", each.is_right},
                         {"speedup", number(each.speedup)},
                         {"sol_score", number(each.sol_score)},
                         {"why_not", each.why_not.empty() ? Json() : Json(each.why_not)},
                         {"doubts", each.doubts}});
  }
  Json shares = Json::object();
  for (const double p : kSpeedups) shares[fmt::format("{:.1f}", p)] = fast_p(scores, p);
  return document::line({{"schema_version", kSchemaVersion},
                         {"program", "autokernel " AUTOKERNEL_VERSION},
                         {"solutions", std::move(solutions)},
                         {"right", count_right(scores)},
                         {"fast_p", has_speedups(scores) ? std::move(shares) : Json()},
                         {"geomean_speedup", number(mean_speedup(scores))},
                         {"mean_sol_score", number(mean_sol_score(scores))}});
}

}  // namespace autokernel::cli
