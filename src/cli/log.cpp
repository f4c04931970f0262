// `autokernel log`: every experiment, rejected ones included.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "autokernel/base/visible_text.h"
#include "autokernel/ledger/ledger.h"
#include "autokernel/ledger/time_scale.h"
#include "autokernel/loop/loop.h"
#include "cli/commands.h"
#include "cli/key_lines.h"
#include "cli/loop/open_run.h"
#include "cli/loop/text.h"

namespace autokernel::cli {
namespace {

class Log : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "log"; }
  [[nodiscard]] std::string summary() const override {
    return "List the experiments, rejected ones included";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::string tag_;     // empty: the run of this branch
  bool all_ = false;    // of all runs
  std::string status_;  // empty: any
  std::string text_;    // in description, verdict or reason; empty: any
  std::optional<int> last_;
  bool follow_ = false;
  bool json_ = false;
};

using ledger::Experiment;

constexpr const char* kLogExamples = R"(Examples:
  autokernel log
  autokernel log --status keep
  autokernel log --grep tile -n 20
  autokernel log --follow
  autokernel log --all --json | jq -r '[.tag, .number, .median_us] | @tsv'

The change is in time, against the incumbent: -10 % takes a tenth less time. The first time is the
median of the baseline; each later one is the incumbent's plus the change, as measured in pairs.
For the medians as measured, use --json or 'autokernel show N'.)";

// Short enough that --follow shows an experiment about as soon as it is recorded.
constexpr std::chrono::milliseconds kPause{500};

[[nodiscard]] bool holds(const Experiment& experiment, const std::string& text) {
  return text.empty() || experiment.description.find(text) != std::string::npos ||
         experiment.verdict.find(text) != std::string::npos ||
         experiment.reason.find(text) != std::string::npos;
}

struct Timed {
  Experiment experiment;
  std::optional<double> us;  // on the scale of its run
};

// What the run is measured by, where that is no time.
[[nodiscard]] std::optional<ledger::MetricValue> metric_of(const std::vector<Timed>& chosen) {
  for (const Timed& each : chosen) {
    if (each.experiment.metric) return each.experiment.metric;
  }
  return std::nullopt;
}

}  // namespace

void Log::declare(Options options) {
  options.footer(kLogExamples);
  Option tag = options.add_option("--tag", tag_,
                                  "Experiments of this run (default: the one on this branch)");
  tag.type_name("TAG");
  options.add_flag("--all", all_, "Experiments of all runs").excludes(tag);
  options
      .add_option("--status", status_, "Only experiments with this status: keep, discard or crash")
      .type_name("STATUS")
      .one_of({"keep", "discard", "crash"});
  options
      .add_option("--grep", text_, "Only experiments with TEXT in description, verdict or reason")
      .type_name("TEXT");
  options.add_option("-n,--last", last_, "Only the last N").type_name("N").positive();
  options.add_flag("-f,--follow", follow_, "Keep printing new experiments until interrupted");
  options.add_flag("--json", json_,
                   "Print the ledger entries (docs/ledger.md), without their measurements");
}

int Log::run(const Console& console) {
  std::size_t seen = 0;  // entries of the history
  for (bool first = true; first || follow_; first = false) {
    const auto loop =
        loop::Loop::open_to_read(std::filesystem::current_path(), speaking_on(console));
    const std::string tag = all_ || !tag_.empty() ? tag_ : loop.run().tag;
    if (!tag_.empty()) loop.require_run(tag_);
    const std::vector<ledger::Entry> entries = loop.history();
    std::vector<Timed> chosen;
    std::map<std::string, ledger::TimeScale> scales;  // by run
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto* experiment = std::get_if<Experiment>(&entries[i]);
      if (experiment == nullptr || !(all_ || experiment->tag == tag)) continue;
      const std::optional<double> time_us = scales[experiment->tag].add(*experiment);
      if (i < seen) continue;
      if (!status_.empty() && status_ != ledger::spelling(experiment->status)) continue;
      if (holds(*experiment, text_)) chosen.push_back({*experiment, time_us});
    }
    seen = entries.size();
    if (first && last_ && chosen.size() > static_cast<std::size_t>(*last_)) {
      chosen.erase(chosen.begin(), chosen.end() - *last_);
    }
    if (first && !json_) console.out << experiment_heading(metric_of(chosen));
    std::string run;
    for (const auto& [experiment, time_us] : chosen) {
      if (all_ && !json_ && experiment.tag != run)
        console.out << visible_line(experiment.tag) << ":\n";
      run = experiment.tag;
      console.out << (json_ ? ledger::lines_of({experiment})
                            : experiment_line(experiment, time_us));
    }
    console.out.flush();
    if (follow_) std::this_thread::sleep_for(kPause);
  }
  return 0;
}

std::unique_ptr<Command> log_command() { return std::make_unique<Log>(); }

}  // namespace autokernel::cli
