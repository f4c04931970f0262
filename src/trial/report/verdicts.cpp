#include "autokernel/trial/verdicts.h"

#include <algorithm>
#include <array>

#include "trial/report/advice.h"

namespace autokernel::trial {
namespace {

template <typename Kind>
struct Row {
  Kind kind;
  Finding finding;
};

constexpr std::array kVerdicts = {
    Row<Verdict>{Verdict::correct, {"correct", "baseline", "done", 0, advice_when_correct}},
    Row<Verdict>{Verdict::incorrect,
                 {"incorrect", "incorrect", "incorrect", 11, advice_when_incorrect}},
    Row<Verdict>{Verdict::does_not_compile,
                 {"does_not_compile", "does not compile", "does not compile", 12,
                  advice_when_it_does_not_compile}},
    Row<Verdict>{Verdict::timed_out,
                 {"timed_out", "timed out", "timed out", 13, advice_when_timed_out}},
    Row<Verdict>{Verdict::crashed, {"crashed", "crashed", "crashed", 14, advice_when_crashed}},
    Row<Verdict>{Verdict::unsupported,
                 {"unsupported", "unsupported", "unsupported by the emulated device", 17,
                  advice_when_unsupported}},
};

constexpr std::array kOutcomes = {
    Row<Outcome>{Outcome::faster, {"faster", "kept", "kept", 0, advice_when_correct}},
    Row<Outcome>{Outcome::not_faster,
                 {"not_faster", "not faster", "not faster", 10, advice_when_correct}},
    Row<Outcome>{Outcome::inconclusive,
                 {"inconclusive", "inconclusive", "inconclusive", 16, advice_when_correct}},
    Row<Outcome>{
        Outcome::over_guard_rail,
        {"over_guard_rail", "over a guard-rail", "over a guard-rail", 18, advice_when_correct}},
};

// Each enumerator has its row, at its place.
template <typename Kind, std::size_t count>
[[nodiscard]] consteval bool is_complete(const std::array<Row<Kind>, count>& rows, Kind last) {
  for (std::size_t i = 0; i < count; ++i) {
    if (static_cast<std::size_t>(rows[i].kind) != i) return false;
  }
  return static_cast<std::size_t>(last) == count - 1;
}
static_assert(is_complete(kVerdicts, Verdict::unsupported));
static_assert(is_complete(kOutcomes, Outcome::over_guard_rail));

}  // namespace

const Finding& finding(Verdict verdict) {
  return kVerdicts.at(static_cast<std::size_t>(verdict)).finding;
}

const Finding& finding(Outcome outcome) {
  return kOutcomes.at(static_cast<std::size_t>(outcome)).finding;
}

const Finding& finding(const Result& result) {
  const bool compared = result.verdict == Verdict::correct && result.comparison;
  return compared ? finding(result.comparison->outcome) : finding(result.verdict);
}

const Finding* finding_in_loop(std::string_view verdict) {
  const auto is_named = [&](const auto& row) { return verdict == row.finding.in_loop; };
  if (const auto* row = std::ranges::find_if(kVerdicts, is_named); row != kVerdicts.end()) {
    return &row->finding;
  }
  const auto* row = std::ranges::find_if(kOutcomes, is_named);
  return row == kOutcomes.end() ? nullptr : &row->finding;
}

std::vector<Finding> all_findings() {
  std::vector<Finding> all;
  all.reserve(kVerdicts.size() + kOutcomes.size());
  for (const auto& row : kVerdicts) all.push_back(row.finding);
  for (const auto& row : kOutcomes) all.push_back(row.finding);
  return all;
}

}  // namespace autokernel::trial
