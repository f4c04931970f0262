#include "cli/loop/tuning_results.h"

#include "autokernel/base/document_json.h"

namespace autokernel::cli {
namespace {

using document::Json;

constexpr double kMicroseconds = 1e3;  // of a millisecond
constexpr double kSeconds = 1e-3;

// How the schema calls what became of a configuration.
[[nodiscard]] const char* invalidity(const ledger::Experiment& experiment) {
  if (experiment.status != ledger::Status::crash) return "correct";
  if (experiment.verdict == "incorrect") return "correctness";
  if (experiment.verdict == "does not compile") return "compile";
  if (experiment.verdict == "timed out") return "timeout";
  return "runtime";
}

[[nodiscard]] Json times_of(const ledger::Experiment& experiment) {
  Json times = {{"runtimes", Json::array()}};
  const std::optional<Json> measured = document::parsed(experiment.result);
  if (!measured || !measured->is_object()) return times;
  if (const auto samples = measured->find("samples_us");
      samples != measured->end() && samples->is_array()) {
    for (const Json& sample : *samples)
      if (sample.is_number()) times["runtimes"].push_back(sample.get<double>() / kMicroseconds);
  }
  if (const auto phases = measured->find("phase_seconds");
      phases != measured->end() && phases->is_object()) {
    const auto number = [&](const char* phase) {
      const auto found = phases->find(phase);
      return found != phases->end() && found->is_number() ? found->get<double>() / kSeconds : 0;
    };
    times["compilation_time"] = number("compile");
    times["validation"] = number("check");
  }
  return times;
}

}  // namespace

std::string t4_results(const std::vector<loop::TunedExperiment>& experiments) {
  Json results = Json::array();
  for (const loop::TunedExperiment& tuned : experiments) {
    const ledger::Experiment& experiment = tuned.experiment;
    Json configuration = Json::object();
    for (const auto& [name, value] : tuned.values) configuration[name] = value;
    const bool is_right = experiment.status != ledger::Status::crash;
    Json measurements = Json::array();
    if (is_right && tuned.time_us) {
      measurements.push_back(
          {{"name", "time"}, {"value", *tuned.time_us / kMicroseconds}, {"unit", "ms"}});
    }
    results.push_back({{"timestamp", experiment.at},
                       {"configuration", configuration},
                       {"times", times_of(experiment)},
                       {"invalidity", invalidity(experiment)},
                       {"correctness", is_right ? 1 : 0},
                       {"measurements", measurements},
                       {"objectives", {"time"}}});
  }
  return document::line({{"schema_version", "1.0.0"}, {"results", results}});
}

}  // namespace autokernel::cli
