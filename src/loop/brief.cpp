#include "loop/brief.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "autokernel/ledger/figure_text.h"
#include "autokernel/ledger/time_scale.h"
#include "loop/editable_set.h"

namespace autokernel::loop {
namespace {

// Enough to see what has been tried lately, little enough to be read.
constexpr std::size_t kRecent = 15;

[[nodiscard]] std::string figure(const std::optional<double>& value,
                                 const std::optional<ledger::MetricValue>& metric) {
  if (!value) return "not known";
  return metric ? ledger::metric_text(*value, metric->unit) : ledger::figure_text(*value, metric);
}

[[nodiscard]] std::string outcome(const ledger::Experiment& experiment) {
  std::string text = fmt::format("- {}: {}. **{}**", experiment.number, experiment.description,
                                 experiment.verdict);
  if (experiment.gain) {
    const double change = ledger::after_gain(experiment, 1, experiment.gain->estimate) - 1;
    text += fmt::format(", {:+.1f} % {}", 100 * change,
                        experiment.metric ? experiment.metric->name : "time");
  }
  if (!experiment.gain && !experiment.reason.empty()) text += ": " + experiment.reason;
  return text + "\n";
}

// What the run itself measures with, so that the agent tries its kernel on nothing else.
[[nodiscard]] std::string bench_of(const ledger::RunStarted& run, bool is_metric) {
  const std::string folder = run.case_directory.empty() ? "." : run.case_directory;
  if (is_metric) return "autokernel bench --case " + folder;
  std::string command =
      fmt::format("autokernel bench --case {} --device {} --size {}", folder, run.device, run.size);
  if (!run.arch.empty()) command += " --arch " + run.arch;
  return command;
}

// How a kernel is launched, as far as it is needed to change one that runs.
[[nodiscard]] std::string contract_of(const ledger::RunStarted& run,
                                      const std::filesystem::path& playbook) {
  const std::string folder = run.case_directory.empty() ? "" : run.case_directory + "/";
  std::string text = fmt::format(
      "## How the kernel is launched\n\n- The file has only device code (C++20, NVRTC), and one "
      "`AUTOKERNEL_LAUNCH({{.kernel = \"NAME\", .grid = {{X, Y, Z}}, .block = {{X, Y, Z}}, "
      ".shared_bytes = BYTES}})` with one to sixteen launches, each in braces; `.cluster`, "
      "`.cooperative` and `.programmatic` may follow.\n- Parameters are the "
      "tensors of `{}case.toml` in its order, for every kernel the same; its sizes are constants "
      "of the same names. Inputs must not be written.\n- `AUTOKERNEL_WORKSPACE(BYTES)` adds "
      "scratch memory, as the last parameter; it and the outputs start from random bits.\n- Shared "
      "memory above 48 KiB is `extern __shared__` and `.shared_bytes`.\n",
      folder);
  if (!playbook.empty())
    text += fmt::format("- `{}` has advice on what makes a kernel faster.\n", playbook.string());
  return text + "\n";
}

// What is to be done to a kernel, and how it is judged.
[[nodiscard]] std::string task_of_kernel(const ledger::RunStarted& run) {
  return fmt::format(
      "# One experiment\n\nMake `{}` faster. Make one change, for one reason, then "
      "end. When you have ended, the kernel is compiled, checked and timed against the incumbent "
      "(the best so far), and kept or reverted.\n\n",
      run.editable);
}
[[nodiscard]] std::string task_of_program(const ledger::RunStarted& run,
                                          const ledger::MetricValue& metric) {
  const std::string folder = run.case_directory.empty() ? "" : run.case_directory + "/";
  return fmt::format(
      "# One experiment\n\nImprove `{0}`: what counts is the metric `{1}`{2}, and {3} is better. "
      "Make one change, for one reason, then end. When you have ended, the program is built, run, "
      "checked and compared with the incumbent (the best so far), and kept or reverted. "
      "`{4}case.toml` says how. Its commands run in a folder of their own, with no other "
      "files, and only what is on standard output, or in a file that the case names, counts.\n\n",
      run.editable, metric.name, metric.unit.empty() ? "" : " (" + metric.unit + ")",
      metric.higher_is_better ? "more" : "less", folder);
}

}  // namespace

std::filesystem::path find_playbook(const std::filesystem::path& root) {
  constexpr const char* kName = "program.md";
  std::error_code failed;
  if (std::filesystem::exists(root / kName, failed)) return kName;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  const std::filesystem::path installed =
      program.parent_path().parent_path() / "share" / "doc" / "autokernel" / kName;
  return std::filesystem::exists(installed, failed) ? installed : std::filesystem::path();
}

std::string brief_of(const Status& status, const std::filesystem::path& idea_file,
                     const std::string& remarks, const std::filesystem::path& playbook) {
  const ledger::RunStarted& run = status.run;
  const std::optional<ledger::MetricValue>& metric = status.baseline.metric;
  std::string text = metric ? task_of_program(run, *metric) : task_of_kernel(run);
  text += fmt::format(
      "- Edit no other file than {2}; other edits are "
      "reverted. "
      "Do not run git, and do not run `autokernel loop`.\n- To see whether it compiles and is "
      "correct, and about how {3} it is: `{0}`.\n- Write your idea in one sentence into the file "
      "`{1}`, or print a line `IDEA: ...`.\n- `autokernel log` lists every experiment, `autokernel "
      "show N` and `autokernel diff N` show one, rejected ones included.\n\n",
      bench_of(run, metric.has_value()), idea_file.string(), EditableSet(run).names(),
      metric ? "good" : "fast");
  if (!metric) text += contract_of(run, playbook);
  text += fmt::format(
      "## Where the run stands\n\nRun {} on {}, {} experiments: {} kept, {} not "
      "faster, {} failed.\n\n",
      run.tag, run.device_name, status.counts.experiments(), status.counts.kept,
      status.counts.discarded, status.counts.failed);
  text += fmt::format("- baseline: {}\n- best: {}, experiment {} ({})\n",
                      figure(status.baseline.figure(), metric), figure(status.best_us(), metric),
                      status.best.number, status.best.description);
  if (status.best.vs_reference) {
    text +=
        fmt::format("- the library's time over the best's: {:.3f}\n", *status.best.vs_reference);
  }
  if (status.is_emulated()) {
    text += "- the device is emulated: these times rank kernels on this CPU, not on a GPU\n";
  }
  if (!remarks.empty()) text += "\n## Your last turn\n\n" + remarks + "\n";
  const auto latest = status.latest(kRecent);
  if (!latest.empty()) text += "\n## The last ideas, the newest first\n\n";
  for (const ledger::Experiment& experiment : latest) text += outcome(experiment);
  text += "\n## Next\n\n";
  text += status.is_plateau()
              ? fmt::format(
                    "{} experiments in a row brought no gain: change the structure (how the work "
                    "is divided, what is kept where{}), not constants.\n",
                    status.streak, metric ? "" : ", which instructions")
              : std::string("Try what you expect to gain most.\n");
  return text;
}

}  // namespace autokernel::loop
