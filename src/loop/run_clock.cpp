#include "loop/run_clock.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <optional>

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

}  // namespace autokernel::loop
