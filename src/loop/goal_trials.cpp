#include "loop/goal_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "autokernel/trial/goal.h"
#include "autokernel/trial/sources.h"
#include "autokernel/trial/verdicts.h"
#include "loop/experiment_fields.h"
#include "loop/folders.h"

namespace autokernel::loop {
namespace {

[[nodiscard]] bool would_be_kept(const trial::Request& request, const trial::Result& result) {
  if (result.verdict != trial::Verdict::correct || !request.incumbent || !result.comparison)
    return false;
  const trial::PairedComparison& comparison = *result.comparison;
  return comparison.outcome == trial::Outcome::faster ||
         (request.incumbent->as_fast_will_do && comparison.as_fast);
}

[[nodiscard]] trial::Request at_size(const trial::Request& request, const std::string& size) {
  trial::Request other = request;
  other.size = size;
  if (other.incumbent) other.incumbent->is_part_of_score = true;
  return other;
}

// Those of a kernel that is wrong mean nothing.
void withdraw_times(trial::Result& result) {
  result.comparison.reset();
  result.times.reset();
  result.reference.reset();
}

// What one of the trials found is what all of them come to.
void adopt(const std::string& size, trial::Result found, trial::Result& result) {
  result.verdict = found.verdict;
  result.cause = found.cause;
  result.reason = fmt::format("at size {}: {}", size, found.reason);
  result.detail = std::move(found.detail);
  result.stages = std::move(found.stages);
  withdraw_times(result);
}

void put_over_guard_rail(const std::string& why, trial::PairedComparison& comparison) {
  comparison.outcome = trial::Outcome::over_guard_rail;
  comparison.as_fast = false;
  comparison.reason += "; but " + why;
}

// Of what it found at a hidden size no more may be said, not even in which way it is wrong, or the
// agent would learn what the size is.
void refuse_unseen(trial::Verdict verdict, trial::Result& result) {
  if (verdict == trial::Verdict::correct) return;
  result.verdict = trial::Verdict::incorrect;
  result.cause = trial::Cause::unseen;
  result.reason = "it is wrong at a size that is not shown";
  withdraw_times(result);
}

// Why a size at which a candidate was compared so speaks against keeping it; empty: it does not.
[[nodiscard]] std::string fault_of_loss(const std::string& size,
                                        const trial::PairedComparison& comparison,
                                        double most_loss) {
  if (trial::has_slow_launches(comparison))
    return fmt::format("at size {} its slowest launches are slower than the incumbent's", size);
  if (comparison.gain_low >= -most_loss) return {};
  return fmt::format(
      "at size {} it takes {:+.2f} % time (95 %: {:+.2f} to {:+.2f} %), and "
      "surely at most {:+.2f} % are allowed",
      size, -100 * comparison.gain, -100 * comparison.gain_high, -100 * comparison.gain_low,
      100 * most_loss);
}

// The worst of two trials of the same kernel.
void merge(const trial::Result& found, trial::Result& worst) {
  if (found.resources && worst.resources) {
    trial::ResourceReport& most = *worst.resources;
    most.registers = std::max(most.registers, found.resources->registers);
    most.spill_bytes = std::max(most.spill_bytes, found.resources->spill_bytes);
    most.shared_bytes = std::max(most.shared_bytes, found.resources->shared_bytes);
  }
  if (found.differences && worst.differences) {
    trial::Differences& most = *worst.differences;
    most.max_abs = std::max(most.max_abs, found.differences->max_abs);
    most.max_rel = std::max(most.max_rel, found.differences->max_rel);
  }
}

}  // namespace

GoalTrials::GoalTrials(const Measurer& measurer, const ledger::RunStarted& run,
                       const cases::CaseFiles& files)
    : measurer_(measurer),
      run_(run),
      goal_(cases::parse(files).goal),
      score_(run.score.empty() ? std::map<std::string, double>{{run.size, 1}} : run.score) {
  if (measurer.hidden_sizes().are_given()) hidden_ = measurer.hidden_sizes().beside(files);
}

Judged GoalTrials::measure(trial::Request request, const std::string& log) const {
  if (request.incumbent) request.incumbent->is_part_of_score = have_several_sizes();
  Judged judged{.result = measurer_.measure(request, log), .sizes = {}, .comparisons = {}};
  trial::Result& result = judged.result;
  if (result.verdict != trial::Verdict::correct) return judged;
  if (result.comparison) judged.comparisons.emplace(request.size, *result.comparison);
  if (have_several_sizes() && !measure_score(request, log, judged)) return judged;
  if (request.incumbent && !would_be_kept(request, result)) return judged;
  if (request.incumbent) {
    std::string fault = trial::guard_fault(goal_, result);
    if (fault.empty()) fault = loss_fault(request, log, judged);
    if (!fault.empty()) {
      if (result.comparison) put_over_guard_rail(fault, *result.comparison);
      return judged;
    }
  }
  refuse_unseen(try_hidden_sizes(request).verdict, result);
  return judged;
}

bool GoalTrials::measure_score(const trial::Request& request, const std::string& log,
                               Judged& judged) const {
  trial::Result& result = judged.result;
  std::vector<trial::PartOfScore> parts;
  const auto take = [&](const std::string& size, const trial::Result& found) {
    const double weight = score_.at(size);
    judged.sizes.push_back(figures_of(size, weight, found));
    if (!found.comparison) return;
    parts.push_back({size, weight, *found.comparison});
    judged.comparisons.emplace(size, *found.comparison);
  };
  take(request.size, result);
  for (const auto& [size, weight] : score_) {
    if (size == request.size) continue;
    trial::Result found = measurer_.measure(at_size(request, size), Folders::log_of(log, size));
    if (found.verdict != trial::Verdict::correct) {
      adopt(size, std::move(found), result);
      judged.sizes.clear();
      return false;
    }
    take(size, found);
    merge(found, result);
  }
  if (request.incumbent) result.comparison = trial::score_of(parts);
  return true;
}

std::string GoalTrials::loss_fault(const trial::Request& request, const std::string& log,
                                   const Judged& judged) const {
  if (run_.score.empty() && run_.size != "default") return {};
  std::string fault;
  for (const auto& [size, most_loss] : goal_.most_loss) {
    const auto known = judged.comparisons.find(size);
    if (known != judged.comparisons.end()) {
      fault = fault_of_loss(size, known->second, most_loss);
    } else {
      trial::Request other = at_size(request, size);
      if (other.incumbent) other.incumbent->min_gain = most_loss;
      const trial::Result found = measurer_.measure(other, Folders::log_of(log, size));
      if (found.verdict != trial::Verdict::correct) {
        return fmt::format("at size {} it is {}: {}", size, trial::spelling(found.verdict),
                           found.reason);
      }
      if (found.comparison) {
        fault = fault_of_loss(size, *found.comparison, most_loss);
      }
    }
    if (!fault.empty()) break;
  }
  return fault;
}

std::vector<ResultsAtSize> GoalTrials::measure_again(const trial::Request& request, int processes,
                                                     const std::string& what) const {
  std::vector<ResultsAtSize> all;
  for (const auto& [size, weight] : score_) {
    trial::Request at = request;
    at.size = size;
    const std::string where =
        have_several_sizes() ? fmt::format("{} at size {}", what, size) : what;
    all.push_back({size, weight, measurer_.measure_again(at, processes, where)});
    if (all.back().results.back().verdict != trial::Verdict::correct) break;
  }
  return all;
}

GoalTrials::Unseen GoalTrials::try_hidden_sizes(const trial::Request& request) const {
  Unseen unseen{.sizes = hidden_.names.size()};
  if (unseen.sizes == 0) return unseen;
  trial::Request hidden = request;
  hidden.incumbent.reset();
  hidden.samples = 1;  // times are of no interest
  trial::take_case(hidden, hidden_.files);
  for (const std::string& size : hidden_.names) {
    hidden.size = size;
    unseen.verdict = measurer_.try_unseen(hidden);
    if (unseen.verdict != trial::Verdict::correct) break;
  }
  return unseen;
}

}  // namespace autokernel::loop
