// `autokernel show`: one experiment whole.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/ledger/ledger.h"
#include "autokernel/ledger/time_scale.h"
#include "autokernel/loop/loop.h"
#include "autokernel/trial/record.h"
#include "cli/commands.h"
#include "cli/conditions_text.h"
#include "cli/key_lines.h"
#include "cli/loop/open_run.h"
#include "cli/output_files.h"
#include "cli/report.h"
#include "cli/samples.h"

namespace autokernel::cli {
namespace {

class Show : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "show"; }
  [[nodiscard]] std::string summary() const override {
    return "Show one experiment: its verdict, figures and source";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  int number_ = 0;
  std::string tag_;  // empty: the run of this branch
  bool source_ = false;
  std::string files_;  // a folder to write it to; empty: none
  bool ptx_ = false;
  bool samples_ = false;
  bool json_ = false;
};

constexpr const char* kShowExamples = R"(Examples:
  autokernel show 7
  autokernel show 7 --source > /tmp/seven.cu
  autokernel show 7 --files /tmp/seven; autokernel bench --kernel /tmp/seven
  autokernel show 7 --ptx | less
  autokernel show 7 --samples
  autokernel show 7 --json | jq .result.phase_seconds)";

// On the scale of its run; none where it was not compared.
[[nodiscard]] std::optional<double> time_on_scale(const std::vector<ledger::Entry>& history,
                                                  const ledger::Experiment& experiment) {
  ledger::TimeScale scale;
  for (const ledger::Entry& entry : history) {
    const auto* one = std::get_if<ledger::Experiment>(&entry);
    if (one == nullptr || one->tag != experiment.tag) continue;
    const std::optional<double> time_us = scale.add(*one);
    if (one->number == experiment.number) return time_us;
  }
  return std::nullopt;
}

// Into an empty folder: nothing that is there is overwritten, and no #include of a file means one
// that was there before.
void write_files(const cases::KernelSource& source, const std::filesystem::path& folder) {
  std::map<std::string, std::string> files = source.files;
  files[source.name] = source.text;
  make_folders(folder, Stop::usage);
  std::error_code unreadable;
  const std::filesystem::directory_iterator there(folder, unreadable);
  if (unreadable || there != std::filesystem::directory_iterator()) {
    throw Error(Stop::usage,
                fmt::format("cannot write the source to {}: {}; name a folder that is empty or new",
                            folder.string(),
                            unreadable ? unreadable.message()
                                       : fmt::format("there is a {} already",
                                                     there->path().filename().string())));
  }
  write_files_below(folder, files);
}

[[nodiscard]] std::string text_of(const ledger::Experiment& experiment,
                                  std::optional<double> time_us) {
  KeyLines lines;
  lines.add("experiment", fmt::format("{} of run {}", experiment.number, experiment.tag));
  lines.add("description", experiment.description);
  lines.add("at", experiment.at);
  lines.add("commit", experiment.commit);
  lines.add_unless_empty("incumbent", experiment.incumbent);
  if (experiment.agent) lines.add("agent", fmt::format("{}", *experiment.agent));
  lines.add_unless_empty("base", experiment.base);
  lines.add("status", ledger::spelling(experiment.status));
  lines.add("verdict", experiment.verdict);
  lines.add_unless_empty("reason", experiment.reason);
  if (const auto& metric = experiment.metric) {
    lines.add("metric", fmt::format("{} ({} is better)", metric->name,
                                    metric->higher_is_better ? "higher" : "lower"));
    if (time_us) lines.add("on_scale", metric_text(*time_us, metric->unit));
    lines.add("value", metric_text(metric->value, metric->unit));
  } else {
    lines.add("time_us", time_us, 3);
  }
  lines.add("median_us", experiment.median_us, 3);
  lines.add("tflops_s", experiment.tflops_s, 2);
  lines.add("vs_reference", experiment.vs_reference, 3);
  if (const auto& gain = experiment.gain) {
    lines.add("gain_pct", 100 * gain->estimate, 2);
    lines.add("gain_low_pct", 100 * gain->low, 2);
    lines.add("gain_high_pct", 100 * gain->high, 2);
    lines.add_count("pairs", static_cast<std::uint64_t>(gain->pairs));
  }
  if (const auto conditions = trial::recorded_conditions(experiment.result)) {
    lines.add_unless_empty("conditions", conditions_text(*conditions));
    lines.add_unless_empty("unclean", conditions->unclean);
  }
  lines.add("seconds", experiment.seconds, 2);
  lines.add_unless_empty("log", experiment.log);
  return lines.take();
}

}  // namespace

void Show::declare(Options options) {
  options.footer(kShowExamples);
  options.add_option("N", number_, "Number of the experiment; 0 is the baseline").required();
  options.add_option("--tag", tag_, "Run of the experiment (default: the one on this branch)")
      .type_name("TAG");
  Option source = options.add_flag("--source", source_, "Print only its source");
  Option files =
      options
          .add_option(
              "--files", files_,
              "Write all files of its source into DIR, a new folder, for 'bench --kernel DIR'")
          .type_name("DIR")
          .excludes(source);
  Option ptx = options.add_flag("--ptx", ptx_, "Print only its PTX, which is kept beside its log")
                   .excludes(source)
                   .excludes(files);
  Option samples =
      options.add_flag("--samples", samples_, "Print only the times of its launches, one per line")
          .excludes(source)
          .excludes(files)
          .excludes(ptx);
  options.add_flag("--json", json_, "Print its ledger entry (docs/ledger.md)")
      .excludes(source)
      .excludes(files)
      .excludes(ptx)
      .excludes(samples);
}

int Show::run(const Console& console) {
  const auto loop = loop::Loop::open_to_read(std::filesystem::current_path(), speaking_on(console));
  const ledger::Experiment experiment = loop.experiment(number_, tag_);
  if (source_) {
    const cases::KernelSource source = loop.source(experiment);
    console.out << source.text;
    if (!source.files.empty()) {
      console.err << "autokernel: the kernel has " << source.files.size()
                  << " more files; 'autokernel show " << number_
                  << " --files DIR' writes all of them\n";
    }
  } else if (!files_.empty()) {
    write_files(loop.source(experiment), files_);
  } else if (ptx_) {
    console.out << loop.ptx(experiment);
  } else if (samples_) {
    console.out << samples_text(experiment.result);
  } else if (json_) {
    console.out << ledger::lines_of({experiment});
  } else {
    console.out << text_of(experiment, time_on_scale(loop.history(), experiment));
  }
  return 0;
}

std::unique_ptr<Command> show_command() { return std::make_unique<Show>(); }

}  // namespace autokernel::cli
