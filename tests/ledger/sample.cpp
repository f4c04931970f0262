#include "ledger/sample.h"

#include <algorithm>

namespace autokernel::ledger {

RunStarted full_run_started() {
  return {.at = "2026-01-31T12:34:56.789Z",
          .program = "autokernel 0.1.0",
          .tag = "demo",
          .branch = "autokernel/demo",
          .base = std::string(40, 'a'),
          .editable = "kernels/kernel.cu",
          .case_directory = "kernels",
          .device = "cuda:1",
          .arch = "sm_90a",
          .size = "default",
          .device_name = "NVIDIA H200",
          .driver_version = "13.0 (580.65)",
          .min_gain = 0.005,
          .budget = {.max_runs = 100, .hours = 7.5, .no_progress = 20},
          .guarded = {{"kernels/case.toml", std::string(40, 'b')}, {"a\tb\\c\nd", "e"}},
          .unsaved = {{.path = "notes.txt", .blob = std::string(40, 'c')},
                      {.path = "gone", .blob = ""}},
          .harness = {{.name = "autokernel",
                       .path = "/usr/bin/autokernel",
                       .sha256 = std::string(64, 'd'),
                       .stamp = "1:2:3"}},
          .git_rules = {{".git/info/exclude", std::string(40, 'f')}},
          .headers = {{"../cutlass/include", std::string(64, 'a')}}};
}

MetricValue full_metric() {
  return {.name = "größe", .unit = "s", .higher_is_better = true, .value = 0.25};
}

Webhook full_webhook() {
  return {.webhook_enabled_by_config = true,
          .webhook_disabled_by_flag = false,
          .webhook_expected = true,
          .webhook_attempted = true,
          .webhook_sent = false,
          .webhook_status = "pending"};
}

Experiment full_experiment() {
  return {.at = "2026-01-31T12:35:56.789Z",
          .tag = "demo",
          .number = 7,
          .description = "größer: tiles of 64\t(\"wide\")\n\\ and a backslash\\",
          .status = Status::keep,
          .verdict = "kept",
          .reason = "it was faster",
          .commit = "0123456789abcdef0123456789abcdef01234567",
          .incumbent = std::string(40, 'd'),
          .source_digest = std::string(40, 'e'),
          .median_us = 1467.141,
          .tflops_s = 1.4625,
          .vs_reference = 0.1,
          .gain = Gain{.estimate = 0.1, .low = 0.05, .high = 0.15, .pairs = 50},
          .metric = full_metric(),
          .guards = {{.metric = full_metric(), .gain = -0.01}},
          .seconds = 1.25,
          .webhook = full_webhook(),
          .log = ".autokernel/logs/1.txt",
          .result = R"({"schema_version":1,"samples_us":[1.0,2.5,0.1],"reason":null})"};
}

Turn full_turn() {
  return {.at = "2026-01-31T12:36:56.789Z",
          .tag = "demo",
          .outcome = "other files",
          .reason = "it changed kernels/case.toml",
          .aside = {".autokernel/aside/1/kernels/case.toml", "b"},
          .seconds = 30.5};
}

RunFinished full_run_finished() {
  return {.at = "2026-01-31T13:00:00.000Z",
          .tag = "demo",
          .best = std::string(40, 'f'),
          .branch = "autokernel/demo-kept",
          .processes = 5,
          .baseline_us = 1467.1,
          .best_us = 300.5,
          .library_us = 20.25,
          .baseline_metric = full_metric(),
          .best_metric = full_metric(),
          .over_baseline = Confirmed{.ratio = 4.9, .low = 4.8, .high = 5.0},
          .over_library = Confirmed{.ratio = 0.07, .low = 0.06, .high = 0.08},
          .webhook = full_webhook()};
}

RunResumed full_run_resumed() {
  return {.at = "2026-01-31T14:00:00.000Z",
          .tag = "demo",
          .unsaved = {{.path = "notes.txt", .blob = std::string(40, 'a')},
                      {.path = "gone.txt", .blob = ""}}};
}

Ablation full_ablation() {
  return {.at = "2026-01-31T15:00:00.000Z",
          .tag = "demo",
          .best = std::string(40, 'f'),
          .number = 3,
          .verdict = "does not pay",
          .reason = "-0.1 % time",
          .gain = Gain{.estimate = 0.001, .low = -0.002, .high = 0.004, .pairs = 500},
          .seconds = 12.5};
}

std::vector<Entry> full_entries() {
  return {full_run_started(),  full_experiment(),  full_turn(),
          full_run_finished(), full_run_resumed(), full_ablation()};
}

std::vector<Entry> empty_entries() {
  return {RunStarted{}, Experiment{}, Turn{}, RunFinished{}, RunResumed{}, Ablation{}};
}

Experiment experiment(int number) {
  Experiment experiment;
  experiment.tag = "demo";
  experiment.number = number;
  experiment.description = "idea " + std::to_string(number);
  experiment.commit = std::to_string(1'000'000 + number);
  experiment.median_us = std::max(1.0, 100.0 - number);
  experiment.result = R"({"samples_us":[1.0]})";
  return experiment;
}

std::vector<Entry> experiments(int first, int last) {
  std::vector<Entry> entries;
  for (int number = first; number <= last; ++number) entries.emplace_back(experiment(number));
  return entries;
}

std::vector<int> numbers_in(const std::vector<Row>& rows) {
  std::vector<int> numbers;
  for (const Row& row : rows) {
    if (const auto* found = std::get_if<Experiment>(&row.entry)) numbers.push_back(found->number);
  }
  return numbers;
}

std::vector<int> numbers_in_ledger(const std::filesystem::path& folder) {
  return numbers_in(Ledger::open(folder).rows());
}

std::vector<std::string> notes_of(const std::filesystem::path& folder) {
  return Ledger::open(folder).notes();
}

}  // namespace autokernel::ledger
