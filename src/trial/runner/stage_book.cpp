#include "trial/runner/stage_book.h"

#include <algorithm>

namespace autokernel::trial {
namespace {

// What a message has room for in a line.
[[nodiscard]] std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

StageBook::StageBook(Depth depth, const std::vector<Check>& plan,
                     const std::map<Stage, std::string>& notes)
    : notes_(notes) {
  const auto has = [&](Stage stage) {
    return std::ranges::any_of(plan, [&](const Check& check) {
      return check.stage == stage || (stage == Stage::determinism && check.launches > 1);
    });
  };
  const bool is_quick = depth == Depth::quick;
  if (!has(Stage::determinism)) {
    skipped_[Stage::determinism] = is_quick ? "left out by --quick" : "the case allows other bits";
  }
  if (!has(Stage::stability)) {
    skipped_[Stage::stability] = is_quick ? "left out by --quick" : "no input is floating point";
  }
  for (const Stage stage : {Stage::sizes, Stage::edge_sizes}) {
    if (has(stage)) continue;
    const auto note = notes.find(stage);
    skipped_[stage] = depth != Depth::full  ? "--full checks them"
                      : note != notes.end() ? note->second
                                            : "the case has none";
  }
}

bool StageBook::enter(Stage stage) {
  // A warm-up on the declared inputs, or a repeat, is no step back.
  if (stage <= current_) return false;
  current_ = stage;
  return true;
}

std::optional<StageReport> StageBook::skipped(Stage stage) const {
  const auto found = skipped_.find(stage);
  if (found == skipped_.end()) return std::nullopt;
  return StageReport{stage, StageOutcome::skipped, found->second};
}

std::vector<StageReport> StageBook::up_to(Stage failing, bool earlier_are_judged,
                                          const std::string& reason) const {
  std::vector<StageReport> reports;
  for (const Stage stage : kStages) {
    // A stage that was entered was not skipped, whatever was planned.
    if (auto report = stage == failing ? std::nullopt : skipped(stage)) {
      reports.push_back(*std::move(report));
    } else if (stage == failing) {
      reports.push_back({stage, StageOutcome::failed, first_line(reason)});
    } else if (stage == Stage::compile || (stage < failing && earlier_are_judged)) {
      reports.push_back({stage, StageOutcome::passed, {}});
    } else {
      reports.push_back({stage, StageOutcome::skipped, "not judged"});
    }
  }
  return reports;
}

std::vector<StageReport> StageBook::under_way() const { return up_to(current_, false, {}); }

std::vector<StageReport> StageBook::failed(const std::string& reason) const {
  // What was checked has been judged by the time that anything is timed.
  const bool are_judged = wrong_.has_value() || current_ == Stage::timed_outputs;
  return up_to(wrong_.value_or(current_), are_judged, reason);
}

std::vector<StageReport> StageBook::passed() const {
  std::vector<StageReport> reports;
  for (const Stage stage : kStages) {
    if (auto report = skipped(stage)) {
      reports.push_back(*std::move(report));
      continue;
    }
    const auto note = notes_.find(stage);
    reports.push_back({stage, StageOutcome::passed, note == notes_.end() ? "" : note->second});
  }
  return reports;
}

}  // namespace autokernel::trial
