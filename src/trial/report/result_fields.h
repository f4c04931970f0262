// The fields of a result and of what is in a request, once, for the messages between our processes
// (supervise/message_json.h) and for the record that people and programs get (record.cpp). The
// names and their order are those of the record; docs/json.md tells readers.
// Those of Request stand beside it, in result.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/fields.h"
#include "autokernel/driver/telemetry.h"
#include "autokernel/trial/figures.h"
#include "autokernel/trial/verdicts.h"

namespace autokernel::trial {

// Enumerations go by their names.
[[nodiscard]] std::string represent(Phase phase);
[[nodiscard]] bool restore(const std::string& name, Phase& phase);
[[nodiscard]] std::string represent(Verdict verdict);
[[nodiscard]] bool restore(const std::string& name, Verdict& verdict);
[[nodiscard]] std::string represent(Outcome outcome);
[[nodiscard]] bool restore(const std::string& name, Outcome& outcome);
[[nodiscard]] std::string represent(Stage stage);
[[nodiscard]] bool restore(const std::string& name, Stage& stage);
[[nodiscard]] std::string represent(StageOutcome outcome);
[[nodiscard]] bool restore(const std::string& name, StageOutcome& outcome);
// Null where it is unknown.
[[nodiscard]] std::optional<std::string> represent(Cause cause);
[[nodiscard]] bool restore(const std::optional<std::string>& name, Cause& cause);

// [low, high]
[[nodiscard]] std::vector<double> represent(const Range& range);
[[nodiscard]] bool restore(const std::vector<double>& ends, Range& range);

// Whether JSON can hold the text as it is.
[[nodiscard]] bool is_utf8(const std::string& text);

// In a record the names of the bits.
template <typename Mask>
struct ThrottleReasons {
  Mask& mask;
};
template <typename Mask>
ThrottleReasons(Mask&) -> ThrottleReasons<Mask>;

}  // namespace autokernel::trial

namespace autokernel::driver {

[[nodiscard]] std::string represent(const DeviceChoice& choice);
[[nodiscard]] bool restore(const std::string& text, DeviceChoice& choice);
[[nodiscard]] std::string represent(Unit unit);
[[nodiscard]] bool restore(const std::string& name, Unit& unit);

}  // namespace autokernel::driver

namespace autokernel::trial {

template <Of<LaunchKey> Object>
void visit_fields(auto&& fields, Object& key) {
  fields("launch", key.launch);
  fields("key", key.key);
}

template <Of<Incumbent> Object>
void visit_fields(auto&& fields, Object& incumbent) {
  fields("name", incumbent.name);
  fields("min_gain", incumbent.min_gain);
  fields("source", SourceText{incumbent.source});
  fields("files", SourceTexts{incumbent.files});
  fields.internal("headers", incumbent.headers);
  fields.internal("guard_log_ratios", incumbent.guard_log_ratios);
  fields.internal("is_confirmed", incumbent.is_confirmed);
  fields.internal("as_fast_will_do", incumbent.as_fast_will_do);
  fields.internal("is_part_of_score", incumbent.is_part_of_score);
  fields.internal("kernel_name", incumbent.kernel_name);
}

template <Of<KnownDevice> Object>
void visit_fields(auto&& fields, Object& device) {
  fields("name", device.name);
  fields("driver_version", device.driver_version);
}

template <Of<DeviceNoise> Object>
void visit_fields(auto&& fields, Object& noise) {
  fields("device", noise.device);
  fields("driver_version", noise.driver_version);
  fields("pair_error", noise.pair_error);
  fields("pair_seconds", noise.pair_seconds);
  fields("least_gain", noise.detectable_gain);
}

template <Of<DeviceReport> Object>
void visit_fields(auto&& fields, Object& device) {
  fields("name", device.name);
  // The host's processors, on which commands run, have none.
  fields.derived("capability", [&] {
    return device.major > 0 ? std::optional(std::vector{device.major, device.minor}) : std::nullopt;
  });
  fields.internal("major", device.major);
  fields.internal("minor", device.minor);
  fields("emulated", device.emulated);
}

template <Of<Times> Object>
void visit_fields(auto&& fields, Object& times) {
  fields("samples_us", times.samples_us);
  fields("median_us", times.median_us);
  fields("p95_us", times.p95_us);
  fields("noise_pct", times.noise_pct);
}

template <Of<StageReport> Object>
void visit_fields(auto&& fields, Object& report) {
  fields("stage", report.stage);
  fields("outcome", report.outcome);
  fields("reason", report.reason);
}

template <Of<Span> Object>
void visit_fields(auto&& fields, Object& span) {
  fields("what", span.what);
  fields("begin_seconds", span.begin_seconds);
  fields("end_seconds", span.end_seconds);
}

template <Of<Baseline> Object>
void visit_fields(auto&& fields, Object& baseline) {
  fields("name", baseline.name);
  fields("configuration", baseline.configuration);
  fields("median_us", baseline.median_us);
}

template <Of<Differences> Object>
void visit_fields(auto&& fields, Object& differences) {
  fields("max_abs", differences.max_abs);
  fields("max_rel", differences.max_rel);
}

template <Of<ResourceReport> Object>
void visit_fields(auto&& fields, Object& resources) {
  fields("registers", resources.registers);
  fields("spill_bytes", resources.spill_bytes);
  fields("shared_bytes", resources.shared_bytes);
}

template <Of<PairedComparison> Object>
void visit_fields(auto&& fields, Object& comparison) {
  fields("against", comparison.incumbent_name);
  fields("outcome", comparison.outcome);
  fields("reason", comparison.reason);
  fields("min_gain", comparison.min_gain);
  fields("gain", comparison.gain);
  fields("gain_low", comparison.gain_low);
  fields("gain_high", comparison.gain_high);
  fields("gain_apart", comparison.confirmed_gain);
  fields("p_value", comparison.p_value);
  fields.internal("standard_error", comparison.standard_error);
  fields.internal("values", comparison.values);
  fields.internal("plain_gain", comparison.plain_gain);
  fields.internal("slow_minority", comparison.slow_minority);
  fields("as_fast", comparison.as_fast);
  fields.derived("near_tie", [&] { return is_near_tie(comparison); });
  fields.derived("against_us", [&] { return comparison.incumbent_times.median_us; });
  fields.derived("against_samples_us", [&] { return comparison.incumbent_times.samples_us; });
  fields.internal("incumbent_times", comparison.incumbent_times);
  fields("disturbance", comparison.disturbance);
}

template <Of<GuardReport> Object>
void visit_fields(auto&& fields, Object& guard) {
  fields("name", guard.name);
  fields("unit", guard.unit);
  fields("higher_is_better", guard.higher_is_better);
  fields("value", guard.value);
  fields("against", guard.incumbent);
  fields("gain", guard.gain);
  fields("gain_low", guard.gain_low);
  fields("gain_high", guard.gain_high);
  fields("most_loss", guard.most_loss);
}

template <Of<MetricReport> Object>
void visit_fields(auto&& fields, Object& metric) {
  fields("name", metric.name);
  fields("unit", metric.unit);
  fields("higher_is_better", metric.higher_is_better);
  fields("value", metric.value);
  fields("samples", metric.samples);
  fields("against", metric.incumbent);
  fields("deterministic", metric.deterministic);
  fields("guards", metric.guards);
}

template <Of<Conditions> Object>
void visit_fields(auto&& fields, Object& conditions) {
  fields.derived("clean", [&] { return conditions.unclean.empty(); });
  fields("unclean", conditions.unclean);
  fields("sm_clock_mhz", conditions.sm_clock_mhz);
  fields("memory_clock_mhz", conditions.memory_clock_mhz);
  fields("highest_celsius", conditions.highest_celsius);
  fields("highest_watts", conditions.highest_watts);
  fields("throttle_reasons", ThrottleReasons{conditions.throttle_reasons});
  fields("other_programs", conditions.other_programs);
  fields("samples_redone", conditions.samples_redone);
  fields("others_cpu_share", conditions.others_cpu_share);
  fields("governor", conditions.governor);
  fields("environment", conditions.environment);
  fields("niceness", conditions.niceness);
  fields("processors", conditions.processors);
  fields("emulation", conditions.emulation);
}

// A record has the speed of no kernel that failed: it is null there.
template <Of<Result> Object>
void visit_fields(auto&& fields, Object& result) {
  // What a [command] case is measured by is no time of a kernel.
  const std::optional<Figures> known = result.metric ? std::nullopt : figures(result);
  const auto of_times = [&](const char* name, auto value_of) {
    fields.derived(name, [&] { return known ? std::optional(value_of(*known)) : std::nullopt; });
  };
  const auto speed = [&](const char* name, auto& value) {
    fields.internal(name, value);
    fields.derived(name, [&] { return known ? std::optional(value) : std::nullopt; });
  };
  fields.derived("exit_code", [&] { return finding(result).exit_code; });
  fields("verdict", result.verdict);
  fields.derived("correct", [&] { return result.verdict == Verdict::correct; });
  fields("reason", result.reason);
  fields("cause", result.cause);
  fields.derived("next", [&] { return finding(result).advice(result); });
  fields("device", result.device);
  fields.derived("timing", [&] {
    return result.device && !result.is_of_command ? std::string(timing(*result.device))
                                                  : std::string();
  });
  fields.internal("is_of_command", result.is_of_command);
  fields("label", result.label);
  fields("problem", result.problem);
  of_times("median_us", [](const Figures& f) { return f.times->median_us; });
  of_times("p95_us", [](const Figures& f) { return f.times->p95_us; });
  of_times("noise_pct", [](const Figures& f) { return f.times->noise_pct; });
  of_times("samples_us", [](const Figures& f) { return f.times->samples_us; });
  of_times("gbytes_s", [](const Figures& f) { return f.gbytes_s; });
  of_times("tflops_s", [](const Figures& f) { return f.tflops_s; });
  const auto of_library = [&](const char* name, auto value_of) {
    fields.derived(name, [&] {
      const bool compared = known && result.reference;
      return compared ? std::optional(value_of(*result.reference)) : std::nullopt;
    });
  };
  of_library("reference_us", [](const Times& times) { return times.median_us; });
  of_library("reference_samples_us", [](const Times& times) { return times.samples_us; });
  speed("reference_default_us", result.reference_default_us);
  of_times("vs_reference", [](const Figures& f) { return f.vs_reference; });
  fields("baselines", result.baselines);
  of_times("pct_peak", [](const Figures& f) {
    return f.roof ? std::optional(f.roof->peak_pct) : std::nullopt;
  });
  of_times("bound", [](const Figures& f) {
    return f.roof ? std::optional<std::string>(spelling(f.roof->bound)) : std::nullopt;
  });
  of_times("intensity", [](const Figures& f) { return f.intensity; });
  const auto of_unit = [&](const char* name, auto value_of) {
    of_times(name, [&](const Figures& f) -> decltype(value_of(*f.unit)) {
      if (!f.unit) return std::nullopt;
      return value_of(*f.unit);
    });
  };
  of_unit("ridge", [](const UnitRoof& roof) { return roof.ridge; });
  of_unit("unit", [](const UnitRoof& roof) {
    return std::optional<std::string>(driver::spelling(roof.unit));
  });
  of_unit("pct_unit", [](const UnitRoof& roof) { return roof.peak_pct; });
  of_times("sol_score", [](const Figures& f) { return f.sol_score; });
  for (const SpeedFigure& figure : kSpeedFigures) speed(figure.key, result.*figure.value);
  speed("bench_seconds", result.bench_seconds);
  fields.internal("comparison", result.comparison);
  fields.derived("comparison", [&] {
    return result.verdict == Verdict::correct ? result.comparison : std::nullopt;
  });
  fields("metric", result.metric);
  fields("conditions", result.conditions);
  const auto each = [&](const auto& whole, const char* name, auto member) {
    fields.derived(name, [&] { return whole ? std::optional((*whole).*member) : std::nullopt; });
  };
  each(result.differences, "max_abs_err", &Differences::max_abs);
  each(result.differences, "max_rel_err", &Differences::max_rel);
  each(result.resources, "registers", &ResourceReport::registers);
  each(result.resources, "spill_bytes", &ResourceReport::spill_bytes);
  each(result.resources, "shared_bytes", &ResourceReport::shared_bytes);
  fields("stages", result.stages);
  fields("warnings", result.warnings);
  fields("total_seconds", result.total_seconds);
  fields("phase_seconds", result.phase_seconds);
  fields("timings", result.timings);
  fields("versions", result.versions);
  fields.internal("detail", result.detail);
  fields.internal("times", result.times);
  fields.internal("reference", result.reference);
  fields.internal("differences", result.differences);
  fields.internal("resources", result.resources);
  fields.internal("flops", result.flops);
  fields.internal("bytes", result.bytes);
  fields.internal("peak_tflops", result.peak_tflops);
  fields.internal("peak_gbytes_s", result.peak_gbytes_s);
  fields.internal("unit", result.unit);
  fields.internal("unit_tflops", result.unit_tflops);
  fields.internal("cap_seconds", result.cap_seconds);
  fields.internal("samples_wanted", result.samples_wanted);
  fields.internal("lost_in", result.lost_in);
  fields.internal("keys", result.keys);
}

}  // namespace autokernel::trial
