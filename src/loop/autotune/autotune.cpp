#include "autokernel/loop/autotune.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/interrupts.h"
#include "loop/autotune/parameters.h"
#include "loop/autotune/search.h"
#include "loop/editable_set.h"
#include "loop/harness_files.h"
#include "loop/measurer.h"
#include "loop/names.h"
#include "loop/run_record.h"
#include "loop/workspace.h"

namespace autokernel::loop {
namespace {

// The best so far, and its parameters.
struct Tuned {
  std::string text;
  TuneSpace space;
};

[[nodiscard]] Tuned best_of(const Workspace& workspace, const Status& status) {
  const EditableSet editable(status.run);
  if (status.run.editable.ends_with(".py")) {
    throw Error(
        Stop::usage,
        fmt::format("cannot tune {}: parameters are declared in CUDA C++; of @triton.autotune "
                    "'autokernel compare --tune' takes the best",
                    status.run.editable));
  }
  Tuned tuned{.text = editable.source_at(workspace.repository(), status.best.commit).text,
              .space = {}};
  tuned.space = tune_space_of(tuned.text, status.run.editable);
  if (tuned.space.parameters.empty()) {
    throw Error(Stop::usage,
                fmt::format("nothing to tune: {} declares no parameters; write AUTOKERNEL_TUNE(BM, "
                            "64, 128, 256); in place of 'constexpr int BM = 64;', and try it by "
                            "'autokernel loop step'",
                            status.run.editable));
  }
  return tuned;
}

// What another experiment has of the parameters; empty where it is another kernel.
[[nodiscard]] Configuration configuration_in(const std::string& text, const Tuned& best,
                                             const std::string& kernel) {
  try {
    const TuneSpace space = tune_space_of(text, "");
    if (space.parameters.empty() || without_values(text, space) != kernel) return {};
    return configuration_of(space, best.space);
  } catch (const Error&) {
    return {};
  }
}

// Whether it says anything of the kernel.
[[nodiscard]] bool is_measured(const ledger::Experiment& experiment) {
  return experiment.verdict != "interrupted";
}

[[nodiscard]] std::optional<double> time_of(const ledger::Experiment& experiment) {
  return experiment.status == ledger::Status::crash ? std::nullopt : experiment.median_us;
}

[[nodiscard]] std::vector<std::pair<Configuration, ledger::Experiment>> experiments_of(
    const Workspace& workspace, const Status& status, const Tuned& best) {
  const EditableSet editable(status.run);
  const std::string kernel = without_values(best.text, best.space);
  std::vector<std::pair<Configuration, ledger::Experiment>> found;
  for (const ledger::Experiment& experiment : status.experiments) {
    if (!is_measured(experiment)) continue;
    const cases::KernelSource source =
        editable.source_at(workspace.repository(), experiment.commit);
    Configuration configuration = configuration_in(source.text, best, kernel);
    if (!configuration.empty()) found.emplace_back(std::move(configuration), experiment);
  }
  return found;
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
    require_no_edit();
    best_ = best_of(workspace_, status());
    in_file_ = best_.text;
    prepare();
    const Owned<Measurer*> listening = measurer_.finishing_a_step(done_.signal);
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
    if (done_.signal != 0) return "interrupted";
    if (options_.most && done_.experiments >= *options_.most)
      return fmt::format("{} configurations were tried", *options_.most);
    return status().why_stop();
  }

  void require_no_edit() {
    const EditableSet editable(status().run);
    if (editable.matches(workspace_.repository(), status().best.commit)) return;
    throw Error(
        Stop::usage,
        fmt::format("cannot tune: {} an edit that was not tried; try it ('autokernel loop "
                    "step'), or revert it",
                    editable.names() + (status().run.editable_files.empty() ? " holds" : " hold")));
  }

  // What is searched, and what is known of it.
  void prepare() {
    const cases::Case problem = cases::parse(unchanged_case(workspace_.repository(), status().run));
    std::map<std::string, double> sizes;
    for (const auto& [name, value] : problem.sizes.at(status().run.size))
      sizes[name] = static_cast<double>(value);
    TuneConditions conditions(best_.space, sizes);
    TuneSummary summary;
    summary.configurations = 1;
    std::vector<std::vector<double>> values;
    for (const TuneParameter& parameter : best_.space.parameters) {
      summary.parameters.emplace_back(parameter.name, parameter.values);
      summary.configurations *= parameter.values.size();
      std::ranges::transform(parameter.values, std::back_inserter(values.emplace_back()), value_of);
    }
    std::vector<Configuration> allowed = allowed_configurations(best_.space, conditions);
    summary.allowed = allowed.size();
    for (const auto& left : conditions.left()) summary.left.emplace_back(left.condition, left.why);
    const auto known = experiments_of(workspace_, status(), best_);
    std::set<Configuration> distinct;
    for (const auto& [configuration, experiment] : known)
      if (std::ranges::find(allowed, configuration) != allowed.end())
        distinct.insert(configuration);
    summary.measured = distinct.size();
    search_ = make_search(options_.strategy, std::move(allowed), values, options_.seed);
    for (const auto& [configuration, experiment] : known)
      search_->tell(configuration, time_of(experiment));
    if (observer_.begins) observer_.begins(summary);
  }

  // An experiment with that configuration; none where it has no time.
  [[nodiscard]] std::optional<double> measured(const Configuration& configuration) {
    const std::filesystem::path file = workspace_.folders().root() / status().run.editable;
    const std::string text = with_configuration(best_.text, best_.space, configuration);
    write_file_atomically(file, text, Sync::no);
    try {
      const Step step = loop_.step({.idea = configuration_text(best_.space, configuration)});
      ++done_.experiments;
      if (step.experiment.status == ledger::Status::keep) {
        ++done_.kept;
        in_file_ = text;
      }
      if (observer_.stepped) observer_.stepped(step);
      return time_of(step.experiment);
    } catch (const Error&) {
      // Of the machine's: no edit is to be left that nobody made.
      write_file_atomically(file, in_file_, Sync::no);
      throw;
    }
  }

  Loop& loop_;
  const Workspace& workspace_;
  RunRecord& record_;
  Measurer& measurer_;
  const AutotuneOptions& options_;
  const AutotuneObserver& observer_;
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
  for (const auto& [configuration, experiment] :
       experiments_of(*workspace_, record_->status(), best)) {
    TunedExperiment& tuned =
        all.emplace_back(TunedExperiment{this->experiment(experiment.number), {}});
    for (std::size_t i = 0; i < configuration.size(); ++i) {
      const TuneParameter& parameter = best.space.parameters[i];
      tuned.values[parameter.name] = parameter.values[configuration[i]];
    }
  }
  return all;
}

}  // namespace autokernel::loop
