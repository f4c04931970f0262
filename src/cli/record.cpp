#include "cli/record.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "autokernel/base/files.h"
#include "cli/advice.h"
#include "cli/conditions.h"
#include "cli/figures.h"
#include "cli/report.h"

namespace autokernel::cli {
namespace {

using Json = nlohmann::ordered_json;
using trial::Request;
using trial::Result;

// Raised when a field changes its meaning or goes; a new field does not raise it.
constexpr int kRecordSchemaVersion = 1;

template <typename Value>
[[nodiscard]] Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

[[nodiscard]] Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

// Bytes that are no UTF-8 are replaced: what a compiler quotes may hold anything.
[[nodiscard]] std::string line(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

// Only what can be read back byte for byte; a record without its source is replayed with --kernel.
[[nodiscard]] Json source_or_null(const std::string& source) {
  try {
    static_cast<void>(Json(source).dump());
    return source;
  } catch (const Json::type_error&) {
    return nullptr;
  }
}

[[nodiscard]] Json device_json(const std::optional<trial::DeviceReport>& device) {
  if (!device) return nullptr;
  return {{"name", device->name},
          {"capability", {device->major, device->minor}},
          {"emulated", device->emulated}};
}

[[nodiscard]] Json incumbent_json(const std::optional<trial::Opponent>& incumbent) {
  if (!incumbent) return nullptr;
  return {{"name", incumbent->name},
          {"min_gain", or_null(incumbent->min_gain)},
          {"source", source_or_null(incumbent->source)}};
}

[[nodiscard]] Json comparison_json(const Result& result) {
  if (result.verdict != trial::Verdict::correct || !result.comparison) return nullptr;
  const trial::PairedComparison& comparison = *result.comparison;
  return {{"against", comparison.against},
          {"outcome", trial::spelling(comparison.outcome)},
          {"reason", comparison.reason},
          {"min_gain", comparison.min_gain},
          {"gain", comparison.gain},
          {"gain_low", comparison.gain_low},
          {"gain_high", comparison.gain_high},
          {"gain_apart", or_null(comparison.gain_apart)},
          {"p_value", comparison.p_value},
          {"as_fast", comparison.as_fast},
          {"against_us", comparison.opponent.median_us},
          {"against_samples_us", comparison.opponent.samples_us},
          {"disturbance", or_null(comparison.disturbance)}};
}

[[nodiscard]] Json request_json(const Request& request) {
  return {{"case", request.case_directory.string()},
          {"kernel", request.kernel_file.string()},
          {"device", trial::spelling(request.device)},
          {"arch", or_null(request.architecture)},
          {"size", request.size},
          {"source", source_or_null(request.source)},
          {"against", incumbent_json(request.against)}};
}

[[nodiscard]] Json keys_json(const std::vector<trial::LaunchKey>& keys) {
  Json list = Json::array();
  for (const trial::LaunchKey& key : keys) {
    list.push_back({{"launch", key.launch}, {"key", key.key}});
  }
  return list;
}

// The times and what follows from them; all null for a kernel that failed.
void add_figures(Json& object, const Result& result) {
  const std::optional<Figures> known = figures(result);
  const auto of_times = [&](const auto& value) { return known ? Json(value(*known)) : Json(); };
  object["median_us"] = of_times([](const Figures& f) { return f.times->median_us; });
  object["p95_us"] = of_times([](const Figures& f) { return f.times->p95_us; });
  object["noise_pct"] = of_times([](const Figures& f) { return f.times->noise_pct; });
  object["samples_us"] = of_times([](const Figures& f) { return f.times->samples_us; });
  object["gbytes_s"] = of_times([](const Figures& f) { return f.gbytes_s; });
  object["tflops_s"] = of_times([](const Figures& f) { return f.tflops_s; });
  const bool compared = known && result.reference;
  object["reference_us"] = compared ? Json(result.reference->median_us) : Json();
  object["reference_samples_us"] = compared ? Json(result.reference->samples_us) : Json();
  object["reference_default_us"] = known ? or_null(result.reference_default_us) : Json();
  object["vs_reference"] = known ? or_null(known->vs_reference) : Json();
  const bool placed = known && known->roof;
  object["pct_peak"] = placed ? Json(known->roof->peak_pct) : Json();
  object["bound"] = placed ? Json(spelling(known->roof->bound)) : Json();
  object["event_floor_us"] = known ? or_null(result.event_floor_us) : Json();
  object["event_tick_us"] = known ? or_null(result.event_tick_us) : Json();
  object["warm_us"] = known ? or_null(result.warm_us) : Json();
  object["bench_seconds"] = known ? Json(result.bench_seconds) : Json();
}

[[nodiscard]] Error unusable(const std::filesystem::path& file, const std::string& why) {
  return {Stop::usage, "cannot replay " + file.string() + ": " + why +
                           "; --replay takes what 'autokernel bench --json' printed"};
}

[[nodiscard]] Request request_in(const Json& object) {
  const Json& asked = object.at("request");
  Request request;
  request.case_directory = asked.at("case").get<std::string>();
  request.kernel_file = asked.at("kernel").get<std::string>();
  request.device = trial::parse_device(asked.at("device").get<std::string>());
  if (!asked.at("arch").is_null()) request.architecture = asked.at("arch").get<std::string>();
  request.size = asked.at("size").get<std::string>();
  if (!asked.at("source").is_null()) request.source = asked.at("source").get<std::string>();
  if (asked.contains("against") && !asked.at("against").is_null()) {
    const Json& against = asked.at("against");
    trial::Opponent& incumbent = request.against.emplace();
    incumbent.name = against.at("name").get<std::string>();
    if (!against.at("min_gain").is_null())
      incumbent.min_gain = against.at("min_gain").get<double>();
    incumbent.source = against.at("source").get<std::string>();
  }
  for (const Json& key : object.at("keys")) {
    request.keys.push_back({key.at("launch").get<std::string>(), key.at("key").get<std::string>()});
  }
  return request;
}

}  // namespace

std::string record(const Request& request, const Result& result, const std::string& log) {
  Json object;
  object["schema_version"] = kRecordSchemaVersion;
  object["program"] = "autokernel " AUTOKERNEL_VERSION;
  object["exit_code"] = exit_code(result);
  object["verdict"] = trial::spelling(result.verdict);
  object["correct"] = result.verdict == trial::Verdict::correct;
  object["reason"] = or_null(result.reason);
  object["cause"] =
      result.cause == trial::Cause::unknown ? Json() : Json(trial::spelling(result.cause));
  object["next"] = or_null(advice(result));
  object["device"] = device_json(result.device);
  object["timing"] = result.device ? Json(timing(*result.device)) : Json();
  object["label"] = result.label;
  object["problem"] = or_null(result.problem);
  add_figures(object, result);
  object["comparison"] = comparison_json(result);
  object["conditions"] =
      result.conditions ? Json::parse(conditions_object(*result.conditions)) : Json();
  object["max_abs_err"] = result.differences ? Json(result.differences->max_abs) : Json();
  object["max_rel_err"] = result.differences ? Json(result.differences->max_rel) : Json();
  const auto& resources = result.resources;
  object["registers"] = resources ? Json(resources->registers) : Json();
  object["spill_bytes"] = resources ? Json(resources->spill_bytes) : Json();
  object["shared_bytes"] = resources ? Json(resources->shared_bytes) : Json();
  object["warnings"] = result.warnings;
  object["total_seconds"] = result.total_seconds;
  object["phase_seconds"] = result.phase_seconds;
  object["versions"] = result.versions;
  object["log"] = or_null(log);
  object["replayed"] = !request.keys.empty();
  object["request"] = request_json(request);
  object["keys"] = keys_json(result.keys);
  return line(object);
}

std::string record(const Error& error) {
  return line({{"schema_version", kRecordSchemaVersion},
               {"program", "autokernel " AUTOKERNEL_VERSION},
               {"exit_code", static_cast<int>(error.stop())},
               {"error", error.what()}});
}

std::string record(const Interrupted& interrupted) {
  // What the shell shows of a program that was ended by a signal.
  constexpr int kEndedBySignal = 128;
  return line({{"schema_version", kRecordSchemaVersion},
               {"program", "autokernel " AUTOKERNEL_VERSION},
               {"exit_code", kEndedBySignal + interrupted.signal()},
               {"error", "interrupted; nothing was left running"}});
}

Request recorded_request(const std::filesystem::path& file) {
  const std::string text = read_file(file, "the record to replay");
  const Json object = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (object.is_discarded()) throw unusable(file, "it is not one JSON object");
  try {
    const int version = object.at("schema_version").get<int>();
    if (version != kRecordSchemaVersion) {
      throw unusable(file, "its schema_version is " + std::to_string(version) +
                               ", this program reads " + std::to_string(kRecordSchemaVersion));
    }
    if (object.contains("error")) throw unusable(file, "no trial was run");
    return request_in(object);
  } catch (const Json::exception& damage) {
    throw unusable(file, damage.what());
  }
}

}  // namespace autokernel::cli
