// The fields of each message between supervisor and runner, and of what the messages to the
// launcher share with them.
#pragma once

#include "autokernel/trial/message.h"
#include "trial/supervise/message_json.h"

namespace autokernel::trial {

template <typename Fields, Either<LaunchKey> Object>
void describe(Fields&& fields, Object& key) {
  fields("launch", key.launch);
  fields("key", key.key);
}

template <typename Fields, Either<Incumbent> Object>
void describe(Fields&& fields, Object& incumbent) {
  fields("name", incumbent.name);
  fields("source", incumbent.source);
  fields("min_gain", incumbent.min_gain);
  fields("is_settled", incumbent.is_confirmed);
  fields("as_fast_will_do", incumbent.as_fast_will_do);
}

template <typename Fields, Either<KnownDevice> Object>
void describe(Fields&& fields, Object& device) {
  fields("name", device.name);
  fields("driver_version", device.driver_version);
}

template <typename Fields, Either<DeviceNoise> Object>
void describe(Fields&& fields, Object& noise) {
  fields("device", noise.device);
  fields("driver_version", noise.driver_version);
  fields("pair_error", noise.pair_error);
  fields("pair_seconds", noise.pair_seconds);
  fields("least_gain", noise.least_gain);
}

template <typename Fields, Either<Request> Object>
void describe(Fields&& fields, Object& request) {
  fields("case_directory", request.case_directory);
  fields("case_files", request.case_files);
  fields("kernel_file", request.kernel_file);
  fields("source", request.source);
  fields("device", request.device);
  fields("architecture", request.architecture);
  fields("size", request.size);
  fields("cached", request.cached);
  fields("checked", request.checked);
  fields("confined", request.confined);
  fields("samples", request.samples);
  fields("against", request.incumbent);
  fields("known_device", request.known_device);
  fields("recording_seconds", request.recording_seconds);
  fields("noise", request.noise);
  fields("keys", request.keys);
}

template <typename Fields, Either<Failure> Object>
void describe(Fields&& fields, Object& failure) {
  fields("stop", failure.stop);
  fields("what", failure.what);
}

template <typename Fields, Either<DeviceReport> Object>
void describe(Fields&& fields, Object& device) {
  fields("name", device.name);
  fields("major", device.major);
  fields("minor", device.minor);
  fields("emulated", device.emulated);
}

template <typename Fields, Either<Times> Object>
void describe(Fields&& fields, Object& times) {
  fields("samples_us", times.samples_us);
  fields("median_us", times.median_us);
  fields("p95_us", times.p95_us);
  fields("noise_pct", times.noise_pct);
}

template <typename Fields, Either<Differences> Object>
void describe(Fields&& fields, Object& differences) {
  fields("max_abs", differences.max_abs);
  fields("max_rel", differences.max_rel);
}

template <typename Fields, Either<ResourceReport> Object>
void describe(Fields&& fields, Object& resources) {
  fields("registers", resources.registers);
  fields("spill_bytes", resources.spill_bytes);
  fields("shared_bytes", resources.shared_bytes);
}

template <typename Fields, Either<PairedComparison> Object>
void describe(Fields&& fields, Object& comparison) {
  fields("against", comparison.incumbent_name);
  fields("outcome", comparison.outcome);
  fields("reason", comparison.reason);
  fields("min_gain", comparison.min_gain);
  fields("gain", comparison.gain);
  fields("gain_low", comparison.gain_low);
  fields("gain_high", comparison.gain_high);
  fields("gain_apart", comparison.confirmed_gain);
  fields("p_value", comparison.p_value);
  fields("as_fast", comparison.as_fast);
  fields("opponent", comparison.incumbent_times);
  fields("disturbance", comparison.disturbance);
}

template <typename Fields, Either<Range> Object>
void describe(Fields&& fields, Object& range) {
  fields("low", range.low);
  fields("high", range.high);
}

template <typename Fields, Either<Conditions> Object>
void describe(Fields&& fields, Object& conditions) {
  fields("sm_clock_mhz", conditions.sm_clock_mhz);
  fields("memory_clock_mhz", conditions.memory_clock_mhz);
  fields("highest_celsius", conditions.highest_celsius);
  fields("highest_watts", conditions.highest_watts);
  fields("throttle_reasons", conditions.throttle_reasons);
  fields("other_programs", conditions.other_programs);
  fields("samples_redone", conditions.samples_redone);
  fields("others_cpu_share", conditions.others_cpu_share);
  fields("governor", conditions.governor);
  fields("environment", conditions.environment);
  fields("niceness", conditions.niceness);
  fields("processors", conditions.processors);
  fields("emulation", conditions.emulation);
  fields("unclean", conditions.unclean);
}

template <typename Fields, Either<Result> Object>
void describe(Fields&& fields, Object& result) {
  fields("verdict", result.verdict);
  fields("cause", result.cause);
  fields("reason", result.reason);
  fields("detail", result.detail);
  fields("warnings", result.warnings);
  fields("device", result.device);
  fields("label", result.label);
  fields("problem", result.problem);
  fields("times", result.times);
  fields("reference", result.reference);
  fields("reference_default_us", result.reference_default_us);
  fields("comparison", result.comparison);
  fields("conditions", result.conditions);
  fields("warm_us", result.warm_us);
  fields("event_floor_us", result.event_floor_us);
  fields("event_tick_us", result.event_tick_us);
  fields("differences", result.differences);
  fields("resources", result.resources);
  fields("flops", result.flops);
  fields("bytes", result.bytes);
  fields("peak_tflops", result.peak_tflops);
  fields("peak_gbytes_s", result.peak_gbytes_s);
  fields("cap_seconds", result.cap_seconds);
  fields("samples_wanted", result.samples_wanted);
  fields("bench_seconds", result.bench_seconds);
  fields("total_seconds", result.total_seconds);
  fields("lost_in", result.lost_in);
  fields("phase_seconds", result.phase_seconds);
  fields("keys", result.keys);
  fields("versions", result.versions);
}

}  // namespace autokernel::trial
