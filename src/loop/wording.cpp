#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <optional>

#include "autokernel/base/error.h"
#include "autokernel/compile/normalized_source.h"
#include "loop/loop_parts.h"

namespace autokernel::loop {

using std::chrono::system_clock;

std::string now_utc() {
  const auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(system_clock::now());
  const auto whole = std::chrono::time_point_cast<std::chrono::seconds>(now);
  return fmt::format("{:%FT%T}.{:03}Z", fmt::gmtime(system_clock::to_time_t(whole)),
                     (now - whole).count() < 0 ? 0 : (now - whole).count());
}

namespace {

[[nodiscard]] std::optional<system_clock::time_point> time_of(const std::string& text) {
  std::tm parts{};
  const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest == nullptr) return std::nullopt;
  int milliseconds = 0;
  if (*rest == '.') std::from_chars(rest + 1, text.c_str() + text.size(), milliseconds);
  return system_clock::from_time_t(::timegm(&parts)) + std::chrono::milliseconds(milliseconds);
}

}  // namespace

double hours_between(const std::string& from, const std::string& to) {
  const auto begin = time_of(from);
  const auto end = time_of(to);
  if (!begin || !end) return 0;
  const std::chrono::duration<double, std::ratio<3600>> passed = *end - *begin;
  return std::max(passed.count(), 0.0);
}

double hours_since(const std::string& time) { return hours_between(time, now_utc()); }

double hours_of(const Status& status) {
  const double hours = hours_since(status.run.at);
  // Times as now_utc() writes them sort as texts.
  const auto latest = std::ranges::max_element(status.experiments, {}, &ledger::Experiment::at);
  if (latest == status.experiments.end()) return hours;
  return std::max(hours, hours_between(status.run.at, latest->at));
}

void require_run_among(const std::vector<ledger::Row>& rows, const std::string& tag) {
  std::string runs;
  for (const ledger::Row& row : rows) {
    const auto* run = std::get_if<ledger::RunStarted>(&row.entry);
    if (run == nullptr) continue;
    if (run->tag == tag) return;
    runs += (runs.empty() ? "" : ", ") + run->tag;
  }
  throw Error(
      Stop::repository,
      fmt::format("there is no run '{}' in the ledger; {}", tag,
                  runs.empty() ? "there is none at all: 'autokernel loop start TAG' starts one"
                               : "there are: " + runs));
}

std::string short_id(const std::string& commit) { return commit.substr(0, 7); }

std::string name_of(const ledger::Experiment& experiment) {
  return fmt::format("{} ({})",
                     experiment.number == 0 ? std::string("the baseline")
                                            : fmt::format("experiment {}", experiment.number),
                     short_id(experiment.commit));
}

std::string digest_of(const std::string& source) {
  return repo::hash_of_bytes(compile::normalized(source));
}

void fill_in(ledger::Experiment& experiment, const trial::Result& result) {
  if (result.verdict != trial::Verdict::correct || !result.times) return;
  constexpr double kFlopsPerMicrosecond = 1e6;  // of 1 TFLOP/s
  experiment.median_us = result.times->median_us;
  experiment.tflops_s = result.flops / (result.times->median_us * kFlopsPerMicrosecond);
  if (result.reference) {
    experiment.vs_reference = result.reference->median_us / result.times->median_us;
  }
  if (const auto& comparison = result.comparison) {
    experiment.gain =
        ledger::Gain{.estimate = comparison->gain,
                     .low = comparison->gain_low,
                     .high = comparison->gain_high,
                     .pairs = static_cast<int>(comparison->opponent.samples_us.size())};
  }
}

}  // namespace autokernel::loop
