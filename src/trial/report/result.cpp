#include "autokernel/trial/result.h"

#include <array>

#include "autokernel/base/error.h"
#include "trial/report/result_fields.h"

namespace autokernel::trial {
namespace {

// Each at the place of its enumerator.
constexpr std::array kPhases = {"start", "queue", "compile", "check", "time", "harness", "apart"};
static_assert(kPhases.size() == static_cast<std::size_t>(Phase::confirm) + 1);
constexpr std::array kCauses = {
    "unknown",       "out_of_bounds", "out_of_shared", "out_of_local", "null_pointer", "misaligned",
    "trap",          "assertion",     "barrier",       "instruction",  "bad_call",     "stack",
    "input_changed", "never_written", "race",          "not_finite",   "unseen"};
static_assert(kCauses.size() == static_cast<std::size_t>(Cause::unseen) + 1);

// Sets the enumerator of that name; false where there is none.
template <typename Enumeration>
[[nodiscard]] bool set_by_name(Enumeration& value, const std::string& name, Enumeration last) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (name != spelling(static_cast<Enumeration>(i))) continue;
    value = static_cast<Enumeration>(i);
    return true;
  }
  return false;
}

}  // namespace

const char* spelling(Phase phase) { return kPhases.at(static_cast<std::size_t>(phase)); }
const char* spelling(Cause cause) { return kCauses.at(static_cast<std::size_t>(cause)); }
const char* spelling(Verdict verdict) { return finding(verdict).in_bench; }
const char* spelling(Outcome outcome) { return finding(outcome).in_bench; }

const char* timing(const DeviceReport& device) { return device.emulated ? "emulated" : "gpu"; }

std::string represent(Phase phase) { return spelling(phase); }
std::string represent(Verdict verdict) { return spelling(verdict); }
std::string represent(Outcome outcome) { return spelling(outcome); }
std::string represent(Stage stage) { return spelling(stage); }
std::string represent(StageOutcome outcome) { return spelling(outcome); }
std::optional<std::string> represent(Depth depth) { return spelling(depth); }
std::optional<std::string> represent(Cause cause) {
  if (cause == Cause::unknown) return std::nullopt;
  return spelling(cause);
}
bool restore(const std::string& name, Phase& phase) {
  return set_by_name(phase, name, Phase::confirm);
}
bool restore(const std::string& name, Verdict& verdict) {
  return set_by_name(verdict, name, Verdict::unsupported);
}
bool restore(const std::string& name, Outcome& outcome) {
  return set_by_name(outcome, name, Outcome::over_guard_rail);
}
bool restore(const std::string& name, Stage& stage) {
  return set_by_name(stage, name, Stage::timed_outputs);
}
bool restore(const std::string& name, StageOutcome& outcome) {
  return set_by_name(outcome, name, StageOutcome::skipped);
}
bool restore(const std::optional<std::string>& name, Depth& depth) {
  depth = Depth::usual;
  return !name || set_by_name(depth, *name, Depth::full);
}
bool restore(const std::optional<std::string>& name, Cause& cause) {
  cause = Cause::unknown;
  return !name || set_by_name(cause, *name, Cause::unseen);
}

std::vector<double> represent(const Range& range) { return {range.low, range.high}; }
bool restore(const std::vector<double>& ends, Range& range) {
  if (ends.size() != 2) return false;
  range = {.low = ends.front(), .high = ends.back()};
  return true;
}

void make_inconclusive(PairedComparison& comparison, const std::string& why) {
  comparison.as_fast = false;
  if (comparison.outcome == Outcome::faster) comparison.outcome = Outcome::inconclusive;
  comparison.reason += "; " + why;
}

bool is_near_tie(const PairedComparison& comparison) {
  return comparison.outcome == Outcome::inconclusive && comparison.gain_low < comparison.min_gain &&
         comparison.gain_high > comparison.min_gain;
}

double default_min_gain(const DeviceReport& device) {
  constexpr double kOnAGpu = 0.005;
  constexpr double kEmulated = 0.02;
  return device.emulated ? kEmulated : kOnAGpu;
}

}  // namespace autokernel::trial

namespace autokernel::driver {

std::string represent(const DeviceChoice& choice) { return spelling(choice); }
std::string represent(Unit unit) { return spelling(unit); }
bool restore(const std::string& name, Unit& unit) {
  for (int i = 0; i < kUnits; ++i) {
    if (name != spelling(static_cast<Unit>(i))) continue;
    unit = static_cast<Unit>(i);
    return true;
  }
  return false;
}

bool restore(const std::string& text, DeviceChoice& choice) {
  try {
    choice = parse_device(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace autokernel::driver
