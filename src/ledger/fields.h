// The fields of each entry, once, for every form they are written in and read from: the JSON of the
// ledger and the rows of its index. A new field is added to its struct and here.
#pragma once

#include "autokernel/base/fields.h"
#include "autokernel/ledger/entry.h"

namespace autokernel::ledger {

// What `kind` says in the file.
template <typename Alternative>
inline constexpr const char* kKind = nullptr;
template <>
inline constexpr const char* kKind<RunStarted> = "run_started";
template <>
inline constexpr const char* kKind<Experiment> = "experiment";
template <>
inline constexpr const char* kKind<Turn> = "turn";
template <>
inline constexpr const char* kKind<RunFinished> = "run_finished";
template <>
inline constexpr const char* kKind<RunResumed> = "run_resumed";

template <>
inline constexpr const char* kKind<Ablation> = "ablation";

// A measurement stands in the ledger as the JSON object that it is, and in the index not at all.
template <typename Text>
struct Measurement {
  Text& json;
};

template <Of<Budget> Object>
void visit_fields(auto&& fields, Object& budget) {
  fields("max_runs", budget.max_runs);
  fields("hours", budget.hours);
  fields("no_progress", budget.no_progress);
}

template <Of<Unsaved> Object>
void visit_fields(auto&& fields, Object& unsaved) {
  fields("path", unsaved.path);
  fields("blob", unsaved.blob);
}

template <Of<HarnessFile> Object>
void visit_fields(auto&& fields, Object& file) {
  fields("name", file.name);
  fields("path", file.path);
  fields("sha256", file.sha256);
  fields("stamp", file.stamp);
}

template <Of<RunStarted> Object>
void visit_fields(auto&& fields, Object& started) {
  fields("at", started.at);
  fields("program", started.program);
  fields("tag", started.tag);
  fields("branch", started.branch);
  fields("base", started.base);
  fields("editable", started.editable);
  fields("case_directory", started.case_directory);
  fields("device", started.device);
  fields("arch", started.arch);
  fields("size", started.size);
  fields("device_name", started.device_name);
  fields("driver_version", started.driver_version);
  fields("min_gain", started.min_gain);
  fields("budget", started.budget);
  fields("guarded", started.guarded);
  fields("unsaved", started.unsaved);
  fields("harness", started.harness);
  fields("git_rules", started.git_rules);
  fields("headers", started.headers);
  fields("editable_files", started.editable_files);
  fields("score", started.score);
  fields("hidden_sizes", started.hidden_sizes);
}

template <Of<RunResumed> Object>
void visit_fields(auto&& fields, Object& resumed) {
  fields("at", resumed.at);
  fields("tag", resumed.tag);
  fields("unsaved", resumed.unsaved);
}

template <Of<Gain> Object>
void visit_fields(auto&& fields, Object& gain) {
  fields("estimate", gain.estimate);
  fields("low", gain.low);
  fields("high", gain.high);
  fields("pairs", gain.pairs);
}

template <Of<MetricValue> Object>
void visit_fields(auto&& fields, Object& metric) {
  fields("name", metric.name);
  fields("unit", metric.unit);
  fields("higher_is_better", metric.higher_is_better);
  fields("value", metric.value);
}

template <Of<GuardValue> Object>
void visit_fields(auto&& fields, Object& guard) {
  fields("metric", guard.metric);
  fields("gain", guard.gain);
}

template <Of<Webhook> Object>
void visit_fields(auto&& fields, Object& webhook) {
  fields("webhook_enabled_by_config", webhook.webhook_enabled_by_config);
  fields("webhook_disabled_by_flag", webhook.webhook_disabled_by_flag);
  fields("webhook_expected", webhook.webhook_expected);
  fields("webhook_attempted", webhook.webhook_attempted);
  fields("webhook_sent", webhook.webhook_sent);
  fields("webhook_status", webhook.webhook_status);
}

template <Of<SizeFigures> Object>
void visit_fields(auto&& fields, Object& figures) {
  fields("size", figures.size);
  fields("weight", figures.weight);
  fields("median_us", figures.median_us);
  fields("vs_reference", figures.vs_reference);
  fields("gain", figures.gain);
}

template <Of<Experiment> Object>
void visit_fields(auto&& fields, Object& experiment) {
  fields("at", experiment.at);
  fields("tag", experiment.tag);
  fields("number", experiment.number);
  fields("description", experiment.description);
  fields("status", experiment.status);
  fields("verdict", experiment.verdict);
  fields("reason", experiment.reason);
  fields("commit", experiment.commit);
  fields("incumbent", experiment.incumbent);
  fields("agent", experiment.agent);
  fields("base", experiment.base);
  fields("source_digest", experiment.source_digest);
  fields("median_us", experiment.median_us);
  fields("tflops_s", experiment.tflops_s);
  fields("vs_reference", experiment.vs_reference);
  fields("gain", experiment.gain);
  fields("sizes", experiment.sizes);
  fields("metric", experiment.metric);
  fields("guards", experiment.guards);
  fields("seconds", experiment.seconds);
  fields("webhook", experiment.webhook);
  fields("log", experiment.log);
  fields("result", Measurement{experiment.result});
}

template <Of<Turn> Object>
void visit_fields(auto&& fields, Object& turn) {
  fields("at", turn.at);
  fields("tag", turn.tag);
  fields("outcome", turn.outcome);
  fields("reason", turn.reason);
  fields("aside", turn.aside);
  fields("seconds", turn.seconds);
}

template <Of<Ablation> Object>
void visit_fields(auto&& fields, Object& ablation) {
  fields("at", ablation.at);
  fields("tag", ablation.tag);
  fields("best", ablation.best);
  fields("number", ablation.number);
  fields("verdict", ablation.verdict);
  fields("reason", ablation.reason);
  fields("gain", ablation.gain);
  fields("seconds", ablation.seconds);
}

template <Of<Confirmed> Object>
void visit_fields(auto&& fields, Object& confirmed) {
  fields("ratio", confirmed.ratio);
  fields("low", confirmed.low);
  fields("high", confirmed.high);
}

template <Of<RunFinished> Object>
void visit_fields(auto&& fields, Object& finished) {
  fields("at", finished.at);
  fields("tag", finished.tag);
  fields("best", finished.best);
  fields("branch", finished.branch);
  fields("processes", finished.processes);
  fields("baseline_us", finished.baseline_us);
  fields("best_us", finished.best_us);
  fields("library_us", finished.library_us);
  fields("baseline_metric", finished.baseline_metric);
  fields("best_metric", finished.best_metric);
  fields("over_baseline", finished.over_baseline);
  fields("over_library", finished.over_library);
  fields("webhook", finished.webhook);
}

}  // namespace autokernel::ledger
