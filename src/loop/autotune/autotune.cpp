#include "autokernel/loop/autotune.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/compile/normalized_source.h"
#include "autokernel/ledger/time_scale.h"
#include "loop/autotune/parameters.h"
#include "loop/autotune/search.h"
#include "loop/editable_set.h"
#include "loop/measurer.h"
#include "loop/run_clock.h"
#include "loop/run_record.h"
#include "loop/scope.h"
#include "loop/workspace.h"

namespace autokernel::loop {
namespace {

// The best so far, and its parameters.
struct Tuned {
  cases::KernelSource source;
  TuneSpace space;
};

[[nodiscard]] Tuned best_of(const Workspace& workspace, const Status& status) {
  const std::string& file = status.run.editable;
  if (!file.ends_with(".cu")) {
    throw Error(
        Stop::usage,
        fmt::format("cannot tune {}: parameters are declared in a kernel in CUDA C++", file));
  }
  const EditableSet editable(status.run);
  Tuned tuned{.source = editable.source_at(workspace.repository(), status.best.commit),
              .space = {}};
  tuned.space = tune_space_of(tuned.source.text, file);
  if (tuned.space.parameters.empty()) {
    throw Error(Stop::usage,
                fmt::format("nothing to tune: {} declares no parameters; write AUTOKERNEL_TUNE(BM, "
                            "64, 128, 256); in place of 'constexpr int BM = 64;', commit it, and "
                            "start a run: 'autokernel loop start TAG'",
                            file));
  }
  return tuned;
}

// A kernel but for the values of its parameters, comments and blanks; of its other files, too.
using KernelText = std::map<std::string, std::string>;
[[nodiscard]] KernelText text_without_values(const cases::KernelSource& source,
                                             const TuneSpace& space) {
  KernelText text;
  for (const auto& [name, contents] : source.files) text[name] = compile::normalized(contents);
  text[""] = without_values(source.text, space);
  return text;
}

// What another experiment has of the parameters; empty where it is another kernel.
[[nodiscard]] Configuration configuration_in(const cases::KernelSource& source, const Tuned& best,
                                             const KernelText& kernel) {
  try {
    const TuneSpace space = tune_space_of(source.text, "");
    if (space.parameters.empty() || text_without_values(source, space) != kernel) return {};
    return configuration_of(space, best.space);
  } catch (const Error&) {
    return {};
  }
}

struct Known {
  Configuration configuration;
  int number = 0;                 // of the experiment
  std::optional<double> time_us;  // on the scale of the run; none where it is wrong, say
};

// What the experiments of the run say of the best kernel's parameters.
[[nodiscard]] std::vector<Known> known_of(const Workspace& workspace, const Status& status,
                                          const Tuned& best) {
  const EditableSet editable(status.run);
  const KernelText kernel = text_without_values(best.source, best.space);
  std::vector<Known> all;
  ledger::TimeScale scale;
  for (const ledger::Experiment& experiment : status.experiments) {
    const std::optional<double> time_us = scale.add(experiment);
    if (experiment.verdict == "interrupted") continue;
    Configuration configuration = configuration_in(
        editable.source_at(workspace.repository(), experiment.commit), best, kernel);
    if (!configuration.empty())
      all.push_back({std::move(configuration), experiment.number, time_us});
  }
  return all;
}

class Autotune {
 public:
  Autotune(Loop& loop, const Workspace& workspace, RunRecord& record, Measurer& measurer,
           const AutotuneOptions& options, const AutotuneObserver& observer)
      : loop_(loop),
        workspace_(workspace),
        record_(record),
        measurer_(measurer),
        options_(options),
        observer_(observer) {}

  Autotuned run() {
    best_ = best_of(workspace_, status());
    in_file_ = best_.source.text;
    require_no_edit();
    prepare();
    const Owned<Measurer*> listening = measurer_.finishing_a_step(done_.signal);
    // Whoever searches wants the run to go on.
    record_.status().finished = false;
    while (true) {
      done_.why = why_stop();
      if (!done_.why.empty()) return done_;
      const std::optional<Configuration> next = search_->next();
      if (!next) {
        done_.why = "all configurations are measured";
        return done_;
      }
      search_->tell(*next, measured(*next));
    }
  }

 private:
  [[nodiscard]] const Status& status() { return record_.status(); }

  [[nodiscard]] std::string why_stop() {
    // Between two steps nobody else looks for a signal.
    if (const auto signal = interrupts_.next()) done_.signal = *signal;
    if (done_.signal != 0) return "interrupted";
    if (options_.most && done_.experiments >= *options_.most)
      return fmt::format("--most {} were tried", *options_.most);
    record_.status().hours = hours_of(record_.status());
    return status().why_stop();
  }

  // A configuration that an earlier search was killed at is no edit of anybody's.
  void require_no_edit() {
    const EditableSet editable(status().run);
    if (editable.matches(workspace_.repository(), status().best.commit)) return;
    if (is_configuration(editable.source_in(workspace_.folders().root()))) {
      write(in_file_);
      if (editable.matches(workspace_.repository(), status().best.commit)) return;
    }
    throw Error(Stop::usage,
                fmt::format("cannot tune: there is an edit of {} that was not tried; try it "
                            "('autokernel loop step'), or revert it",
                            editable.names()));
  }
  [[nodiscard]] bool is_configuration(const cases::KernelSource& source) const {
    try {
      const Configuration configuration =
          configuration_of(tune_space_of(source.text, ""), best_.space);
      return !configuration.empty() &&
             source.text == with_configuration(best_.source.text, best_.space, configuration);
    } catch (const Error&) {
      return false;
    }
  }

  [[nodiscard]] std::filesystem::path file() {
    return workspace_.folders().root() / status().run.editable;
  }
  void write(const std::string& text) { write_file_atomically(file(), text, Sync::no); }

  // What is searched, and what is known of it.
  void prepare() {
    const cases::Case problem = cases::parse(unchanged_case(workspace_.repository(), status().run));
    if (problem.command) {
      throw Error(Stop::usage,
                  "cannot tune: the case measures commands, and parameters are of a "
                  "kernel's");
    }
    TuneConditions conditions(best_.space, problem.sizes.at(status().run.size));
    TuneSummary summary;
    summary.configurations = 1;
    std::vector<std::vector<double>> values;
    for (const TuneParameter& parameter : best_.space.parameters) {
      summary.parameters.emplace_back(parameter.name, parameter.values);
      summary.configurations *= parameter.values.size();
      std::ranges::transform(
          parameter.values, std::back_inserter(values.emplace_back()),
          [](const std::string& value) { return static_cast<double>(value_of(value)); });
    }
    std::vector<Configuration> allowed = allowed_configurations(best_.space, conditions);
    summary.allowed = allowed.size();
    for (const auto& left : conditions.left()) summary.left.emplace_back(left.condition, left.why);
    const std::vector<Known> known = known_of(workspace_, status(), best_);
    std::set<Configuration> distinct;
    for (const Known& each : known) distinct.insert(each.configuration);
    summary.measured = distinct.size();
    search_ = make_search(options_.strategy, std::move(allowed), values, options_.seed);
    for (const Known& each : known) search_->tell(each.configuration, each.time_us);
    if (observer_.begins) observer_.begins(summary);
  }

  // An experiment with that configuration; none where it has no time.
  [[nodiscard]] std::optional<double> measured(const Configuration& configuration) {
    const std::string text = with_configuration(best_.source.text, best_.space, configuration);
    write(text);
    try {
      const Step step = loop_.step({.idea = configuration_text(best_.space, configuration)});
      ++done_.experiments;
      if (step.experiment.status == ledger::Status::keep) {
        ++done_.kept;
        in_file_ = text;
      }
      if (observer_.stepped) observer_.stepped(step);
      return step.time_us;
    } catch (const Error&) {
      // Of the machine's: no edit is to be left that nobody made, and none taken that somebody did.
      if (read_file(file(), "the kernel") == text) write(in_file_);
      throw;
    }
  }

  Loop& loop_;
  const Workspace& workspace_;
  RunRecord& record_;
  Measurer& measurer_;
  const AutotuneOptions& options_;
  const AutotuneObserver& observer_;
  const Interrupts interrupts_;
  Tuned best_;           // when the search began: all configurations are of it
  std::string in_file_;  // the text of the best by now
  std::unique_ptr<ConfigurationSearch> search_;
  Autotuned done_;
};

}  // namespace

Autotuned Loop::autotune(const AutotuneOptions& options, const AutotuneObserver& observer) {
  return Autotune(*this, *workspace_, *record_, *measurer_, options, observer).run();
}

std::vector<TunedExperiment> Loop::tuned() const {
  const Tuned best = best_of(*workspace_, record_->status());
  std::vector<TunedExperiment> all;
  for (const Known& known : known_of(*workspace_, record_->status(), best)) {
    TunedExperiment& tuned =
        all.emplace_back(TunedExperiment{experiment(known.number), known.time_us, {}});
    for (std::size_t i = 0; i < known.configuration.size(); ++i) {
      const TuneParameter& parameter = best.space.parameters[i];
      tuned.values[parameter.name] = value_of(parameter.values[known.configuration[i]]);
    }
  }
  return all;
}

}  // namespace autokernel::loop
