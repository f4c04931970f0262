#include "loop/measurer.h"

#include <fmt/format.h>

#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/trial/decision.h"
#include "autokernel/trial/sources.h"
#include "loop/editable_set.h"
#include "loop/names.h"

namespace autokernel::loop {
namespace {

// What a run compares with ran when it was committed. Where it does not now, the machine is to
// blame, and not, as in a bench, whoever named it.
template <typename Measure>
[[nodiscard]] trial::Result held_against_machine(const trial::Request& request,
                                                 const Measure& measure) {
  try {
    return measure();
  } catch (const Error& error) {
    if (!request.incumbent || error.stop() != Stop::usage) throw;
    throw Error(Stop::environment,
                fmt::format("{}; it ran when it was committed: check the machine, and try again",
                            error.what()));
  }
}

}  // namespace

Measurer::Measurer(const Workspace& workspace, LoopContext context)
    : workspace_(workspace), context_(std::move(context)) {
  if (!context_.hidden_sizes.empty()) hidden_sizes_ = HiddenSizes(context_.hidden_sizes);
}

trial::Request Measurer::request(const ledger::RunStarted& run, cases::CaseFiles files,
                                 const std::string& commit) const {
  const std::filesystem::path& root = workspace_.folders().root();
  trial::Request request;
  request.case_directory = root / run.case_directory;
  trial::take_case(request, std::move(files));
  request.kernel_file = root / run.editable;
  cases::KernelSource kernel = EditableSet(run).source_at(workspace_.repository(), commit);
  request.source = std::move(kernel.text);
  request.files = std::move(kernel.files);
  request.device = trial::parse_device(run.device);
  request.architecture = run.arch;
  request.size = run.size;
  // Whoever edits the kernel could write to the cache as well.
  request.cached = false;
  if (!run.device_name.empty()) request.known_device = {run.device_name, run.driver_version};
  return request;
}

trial::Request Measurer::request_of_best(const Status& status, cases::CaseFiles files) const {
  trial::Request best = request(status.run, std::move(files), status.best.commit);
  if (status.counts.kept > 0) best.incumbent = incumbent(status.run, status.baseline);
  return best;
}

trial::Incumbent Measurer::incumbent(const ledger::RunStarted& run,
                                     const ledger::Experiment& experiment) const {
  cases::KernelSource kernel =
      EditableSet(run).source_at(workspace_.repository(), experiment.commit);
  return {.name = name_of(experiment),
          .source = std::move(kernel.text),
          .min_gain = run.min_gain,
          .files = std::move(kernel.files)};
}

trial::Incumbent Measurer::best_as_incumbent(const Status& status) const {
  trial::Incumbent best = incumbent(status.run, status.best);
  for (const ledger::Experiment& experiment : status.experiments) {
    if (experiment.status != ledger::Status::keep) continue;
    for (const ledger::GuardValue& guard : experiment.guards) {
      // What was won is nothing to spend: an incumbent may have had it from what it did before.
      if (guard.gain && *guard.gain < 0)
        best.guard_log_ratios[guard.metric.name] += trial::log_ratio_of(*guard.gain);
    }
  }
  return best;
}

trial::Result Measurer::measure(const trial::Request& request, const std::string& log) const {
  std::vector<std::string> notes;
  trial::Observer observer = context_.observer;
  observer.note = [&](const std::string& line) {
    notes.push_back(line);
    if (context_.observer.note) context_.observer.note(line);
  };
  trial::Request planned = request;
  if (context_.plan) context_.plan(planned);
  trial::Result result = held_against_machine(planned, [&] {
    return trial::supervise_with_retry(planned, context_.limits, observer, context_.runner);
  });
  // The verdict stands without it.
  workspace_.keep_log(log, context_.log_text(request, result, notes));
  if (!result.ptx.empty()) workspace_.keep_log(Folders::ptx(log), result.ptx);
  return result;
}

trial::Verdict Measurer::try_unseen(const trial::Request& request) const {
  trial::Observer silent;
  silent.interrupted = context_.observer.interrupted;
  try {
    return trial::supervise_with_retry(request, context_.limits, silent, context_.runner).verdict;
  } catch (const Error& error) {
    // Its words may be of the size.
    throw Error(error.stop(),
                "a trial at a hidden size could not be made; whoever gave the sizes can try them "
                "with 'autokernel bench', as sizes of a copy of the case");
  }
}

std::vector<trial::Result> Measurer::measure_again(const trial::Request& request, int processes,
                                                   const std::string& what) const {
  std::vector<trial::Result> results;
  trial::RunnerCommand own = context_.runner;
  own.may_be_ready = false;
  for (int i = 1; i <= processes; ++i) {
    workspace_.say(fmt::format("measuring {} of {}: {}", i, processes, what));
    results.push_back(held_against_machine(request, [&] {
      trial::Request planned = request;
      if (context_.plan) context_.plan(planned);
      return trial::supervise(planned, context_.limits, context_.observer, own);
    }));
    const trial::Result& result = results.back();
    if (result.conditions && !result.conditions->unclean.empty()) {
      workspace_.say(result.conditions->unclean);
    }
    if (result.verdict != trial::Verdict::correct) break;
  }
  return results;
}

Owned<Measurer*> Measurer::finishing_a_step(int& signal) {
  context_.observer.interrupted = [this, &signal](int now) {
    if (signal != 0) return false;
    signal = now;
    workspace_.say("stopping after this step; a second signal aborts it");
    return true;
  };
  return {this, [](Measurer* measurer) { measurer->context_.observer.interrupted = {}; }};
}

}  // namespace autokernel::loop
