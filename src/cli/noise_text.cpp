#include "cli/noise_text.h"

#include <fmt/format.h>

#include "autokernel/base/document_json.h"
#include "autokernel/base/visible_text.h"
#include "cli/key_lines.h"
#include "cli/noise_fields.h"
#include "cli/report.h"

namespace autokernel::cli {
namespace {

using document::Json;
using trial::NoiseFigures;

// Raised when a field changes its meaning or goes; a new field does not raise it.
constexpr int kNoiseSchemaVersion = 1;

[[nodiscard]] std::string next_of(const StoredNoise& noise) {
  const trial::DeviceNoise device =
      trial::device_noise(noise.figures, noise.device, noise.driver_version);
  std::string hopeless = trial::out_of_reach(device, noise.figures.min_gain);
  if (!hopeless.empty()) return hopeless;
  return fmt::format(
      "a gain of {:.2g} % is detectable here: autokernel loop start TAG, or bench --against",
      100 * noise.figures.min_gain);
}

}  // namespace

std::string noise_text(const NoiseReport& report) {
  const NoiseFigures& figures = report.noise.figures;
  const trial::Result& result = report.result;
  KeyLines lines;
  lines.add_unless_empty("problem", result.problem);
  lines.add("pairs",
            fmt::format("{} in {} process{}, {:.1f} ms each", figures.pairs, report.processes,
                        report.processes == 1 ? "" : "es", 1000 * figures.pair_seconds));
  lines.add("pair_noise_pct", 100 * figures.pair_noise, 2);
  lines.add("mean_noise_pct", 100 * figures.mean_noise, 3);
  lines.add("drift_pct", 100 * figures.drift, 2);
  for (const auto& [seconds, gain] : figures.reach) {
    if (gain) lines.add(fmt::format("found_{:g}s_pct", seconds), 100 * *gain, 2);
  }
  lines.add("min_gain_pct", 100 * figures.min_gain, 2);
  lines.add("false_keeps", fmt::format("{} of {}", figures.false_keeps, figures.decisions));
  if (result.device) lines.add("timing", timing(*result.device));
  for (const std::string& warning : result.warnings) lines.add_unless_empty("warning", warning);
  lines.add_unless_empty("stored", report.file.string());
  lines.add("next", next_of(report.noise));
  const trial::DeviceReport device = result.device.value_or(trial::DeviceReport{});
  return fmt::format("Device: {}\nCapability: ({}, {})\n---\n", visible_line(device.name),
                     device.major, device.minor) +
         lines.take();
}

std::string noise_json(const NoiseReport& report) {
  using document::ExactWriter;
  const StoredNoise& noise = report.noise;
  Json object = {{"schema_version", kNoiseSchemaVersion},
                 {"program", "autokernel " AUTOKERNEL_VERSION}};
  ExactWriter::add_fields(object, noise);
  object["problem"] = report.result.problem;
  object["processes"] = report.processes;
  ExactWriter::add_fields(object, noise.figures);
  // Here they stand after the gains that can be detected, unlike in the file.
  for (const char* name : {"min_gain", "decisions", "false_keeps"}) {
    const Json figure = object[name];
    object.erase(name);
    object[name] = figure;
  }
  object["warnings"] = report.result.warnings;
  object["stored"] = report.file.empty() ? Json() : Json(report.file.string());
  object["next"] = next_of(noise);
  return document::line(object);
}

}  // namespace autokernel::cli
