#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/landlock.h"
#include "autokernel/base/process_tree.h"
#include "autokernel/base/processor_clock.h"
#include "autokernel/trial/command.h"
#include "autokernel/trial/other_device.h"
#include "autokernel/trial/sources.h"
#include "trial/command/built_program.h"
#include "trial/command/metric_pairs.h"
#include "trial/command/reference_server.h"
#include "trial/decide/statistics.h"

namespace autokernel::trial {
namespace {

using Clock = std::chrono::steady_clock;

// So many runs of one program that agree exactly are no accident.
constexpr int kRunsThatAgree = 3;
// Where the budget allows it, so many of both have to before a candidate is kept.
constexpr int kPairsBeforeItIsKept = 10;
// Of a program that is measured alone, whose figure is no part of any decision.
constexpr int kMostRunsAlone = 20;
// More say nothing that these have not said.
constexpr int kMostRunPairs = 400;

[[nodiscard]] double seconds_since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

// 16 hexadecimal digits that nobody can foresee.
[[nodiscard]] std::string new_seed() {
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof seed, 0) != sizeof seed)
    throw Error(Stop::environment, "cannot draw a seed: the system has no random bits");
  return fmt::format("{:016x}", seed);
}

[[nodiscard]] std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

[[nodiscard]] DeviceReport this_machine(const std::optional<CommandGpus>& gpus) {
  if (gpus) return {.name = gpus->description};
  return {.name = fmt::format("CPU, {} ({} processors)", processor_name(),
                              ::sysconf(_SC_NPROCESSORS_ONLN))};
}

[[nodiscard]] FilesByPath editable_files(const cases::Case& problem, const std::string& main,
                                         const FilesByPath& others) {
  FilesByPath files = others;
  files[problem.kernel_name] = main;
  return files;
}

// One trial under way. Members are destroyed from the last to the first: programs before the
// processes and folders that they had.
class CommandTrial {
 public:
  CommandTrial(const Request& request, const cases::Case& problem, const cases::CommandPlan& plan,
               const Observer& observer)
      : request_(request),
        incumbent_(request.incumbent ? &*request.incumbent : nullptr),
        problem_(problem),
        plan_(plan),
        observer_(observer),
        setting_{.plan = &plan_,
                 .server = plan.server ? &*plan.server : nullptr,
                 .files = cases::command_files(plan_, request.case_files),
                 .readable = readable_by_commands(plan_.network),
                 .tree = &tree_,
                 .scratch = scratch_.path(),
                 .progress = [this](Phase phase) { look_around(phase); }} {
    setting_.readable.insert(setting_.readable.end(), plan_.readable.begin(), plan_.readable.end());
    if (plan_.gpus > 0) {
      setting_.gpus = gpus_for_commands(plan_.gpus);
      const auto& more = setting_.gpus->readable;
      setting_.readable.insert(setting_.readable.end(), more.begin(), more.end());
    }
    if (setting_.server != nullptr) reference_.emplace(setting_);
  }
  CommandTrial(const CommandTrial&) = delete;
  CommandTrial& operator=(const CommandTrial&) = delete;
  CommandTrial(CommandTrial&&) = delete;
  CommandTrial& operator=(CommandTrial&&) = delete;
  // Servers that are paused are members of the tree again, which ends them.
  ~CommandTrial() { tree_.take_back(); }

  [[nodiscard]] Result run() {
    result_.is_of_command = true;
    const DeviceReport device = this_machine(setting_.gpus);
    result_.device = device;
    result_.label = problem_.kernel_name;
    result_.problem = problem_.problem;
    if (!has_landlock())
      result_.warnings.emplace_back(
          "this kernel has no Landlock: commands of the case can read and write other files");
    if (takes_processor_time() && !ProcessorClock(::getpid()).seconds())
      result_.warnings.emplace_back(
          "this machine does not count processor time (perf_event_paranoid above 2, or a container "
          "that refuses perf_event_open): cpu_time leaves out processes that nobody waits for");
    if (setting_.gpus) result_.versions["driver"] = setting_.gpus->driver_version;
    require_same_device(device.name);
    if (observer_.learned) observer_.learned(result_);
    try {
      BuiltProgram candidate(setting_, editable_files(problem_, request_.source, request_.files));
      note_span("build", candidate.build_seconds());
      MeasuredRun first = candidate.run(new_seed());
      candidate.check(first);
      if (incumbent_ != nullptr) {
        compare(candidate, std::move(first));
      } else {
        measure_alone(candidate, std::move(first));
      }
    } catch (const Refused& refused) {
      result_.verdict = refused.verdict();
      result_.reason = refused.reason();
      result_.detail = refused.detail();
      result_.times.reset();
      result_.comparison.reset();
      result_.metric.reset();
    }
    result_.total_seconds = seconds_since(begun_);
    return std::move(result_);
  }

  [[nodiscard]] std::string set_up_fault() {
    if (plan_.set_up.empty()) return {};
    const ScratchDirectory own(scratch_.path());
    const auto files = own.path() / kWorkFolder / kFilesFolder;
    write_files(files, setting_.files.fixed);
    write_files(files, setting_.files.hidden);
    write_files(files, editable_files(problem_, request_.source, request_.files));
    CommandRules rules = rules_for(setting_, plan_.set_up);
    rules.command.network = {.kind = Network::Kind::any};
    rules.seconds = plan_.limits.build_seconds;
    const CommandEnd end =
        run_confined(rules, own.path(), tree_, [this] { look_around(Phase::check); });
    if (end.succeeded()) return {};
    return end.how == CommandEnd::How::by_itself ? ending_text(end)
                                                 : "took too long, or too much memory ([limits])";
  }

  [[nodiscard]] std::vector<DamagedOutput> check_damaged() {
    try {
      BuiltProgram program(setting_, editable_files(problem_, request_.source, request_.files));
      MeasuredRun sound = program.run(new_seed());
      program.check(sound);
      std::vector<DamagedOutput> found;
      const auto damage = [&](const std::string& output, std::string& bytes, MeasuredRun& run) {
        const std::string whole = bytes;
        for (const auto& [how, damaged] : damages_of(whole)) {
          bytes = damaged;
          found.push_back({.output = output, .how = how, .is_refused = is_refused(program, run)});
        }
      };
      for (const std::string& output : plan_.outputs) {
        MeasuredRun run = sound;
        damage(output, run.outputs.files.at(output), run);
      }
      if (plan_.outputs.empty()) damage("standard output", sound.outputs.printed, sound);
      return found;
    } catch (const Refused& refused) {
      throw Error(Stop::usage, fmt::format("the program is refused: {}", refused.reason()));
    }
  }

 private:
  struct Damage {
    std::string how;
    std::string bytes;
  };
  [[nodiscard]] static std::vector<Damage> damages_of(const std::string& whole) {
    std::vector<Damage> damages = {{"emptied", ""}};
    if (whole.size() < 2) return damages;
    damages.push_back({"cut", whole.substr(0, whole.size() / 2)});
    damages.push_back({"zeros", std::string(whole.size(), '0')});
    return damages;
  }
  [[nodiscard]] static bool is_refused(const BuiltProgram& program, MeasuredRun run) {
    try {
      program.check(run);
      return false;
    } catch (const Refused&) {
      return true;
    }
  }

  void require_same_device(const std::string& name) const {
    const auto& known = request_.known_device;
    if (!known) return;
    const std::string driver = setting_.gpus ? setting_.gpus->driver_version : "";
    if (known->name == name && known->driver_version == driver) return;
    const auto described = [](const std::string& what, const std::string& version) {
      return version.empty() ? what : fmt::format("{} (driver {})", what, version);
    };
    throw OtherDevice(fmt::format("cannot compare on {}: the earlier measurements were made on {}",
                                  described(name, driver),
                                  described(known->name, known->driver_version)));
  }

  void note_span(const char* what, double seconds) {
    const double end = seconds_since(begun_);
    result_.timings.push_back({.what = what, .begin_seconds = end - seconds, .end_seconds = end});
  }

  void look_around(Phase phase) {
    if (phase != phase_) {
      phase_ = phase;
      entered_ = Clock::now();
    }
    if (observer_.progress) observer_.progress(phase, Clock::now() - entered_);
    const std::optional<int> signal = interrupts_.next();
    if (signal && (!observer_.interrupted || !observer_.interrupted(*signal)))
      throw Interrupted(*signal);
  }

  // Of the incumbent, which was right when it was kept.
  template <typename Work>
  [[nodiscard]] auto of_incumbent(const Work& work) {
    try {
      return work();
    } catch (const Refused& refused) {
      throw Error(Stop::environment,
                  fmt::format("cannot measure {}, with which the candidate is compared: {}",
                              incumbent_->name, refused.reason()));
    }
  }

  [[nodiscard]] bool takes_processor_time() const {
    const auto takes = [](const cases::Metric& metric) {
      return std::holds_alternative<cases::CpuTime>(metric.source);
    };
    return takes(plan_.metric) || std::ranges::any_of(plan_.guards, [&](const auto& guard) {
             return takes(guard.metric);
           });
  }
  [[nodiscard]] bool keeps_servers() const {
    return setting_.server != nullptr && setting_.server->is_kept;
  }

  [[nodiscard]] bool may_be_deterministic() const {
    return !keeps_servers() && !std::holds_alternative<cases::WallTime>(plan_.metric.source);
  }
  [[nodiscard]] double value_of(const MeasuredRun& run) const {
    return run.values.at(plan_.metric.name);
  }
  [[nodiscard]] bool has_metrics_of_check() const {
    return plan_.metric.is_of_check || std::ranges::any_of(plan_.guards, [](const auto& guard) {
             return guard.metric.is_of_check;
           });
  }
  [[nodiscard]] bool agree(const std::vector<double>& values) const {
    return may_be_deterministic() &&
           std::ranges::all_of(values, [&](double value) { return value == values.front(); });
  }

  // Without an incumbent: what it comes to, and whether it always does.
  void measure_alone(BuiltProgram& program, MeasuredRun first) {
    const Clock::time_point begun = Clock::now();
    std::vector<MeasuredRun> runs;
    runs.push_back(std::move(first));
    std::vector<double> values = {value_of(runs.front())};
    const int wanted = request_.samples.value_or(kMostRunsAlone);
    const int least = std::min(wanted, kRunsThatAgree);
    while (static_cast<int>(runs.size()) < wanted) {
      const bool is_enough = static_cast<int>(runs.size()) >= least &&
                             (agree(values) || seconds_since(begun) > budget_seconds() / 2);
      if (is_enough) break;
      MeasuredRun run = program.run(new_seed());
      program.check(run);
      values.push_back(value_of(run));
      runs.push_back(std::move(run));
    }
    result_.times = summarise(values);
    result_.bench_seconds = seconds_since(begun);
    MetricReport& metric = begin_report();
    metric.value = result_.times->median_us;
    metric.samples = values;
    metric.deterministic = static_cast<int>(values.size()) >= kRunsThatAgree && agree(values);
    for (const cases::GuardedMetric& guard : plan_.guards) {
      std::vector<double> guarded;
      guarded.reserve(runs.size());
      for (const MeasuredRun& run : runs) guarded.push_back(run.values.at(guard.metric.name));
      GuardReport& report = add_guard(metric, guard);
      report.value = median(guarded);
    }
  }

  MetricReport& begin_report() {
    MetricReport& metric = result_.metric.emplace();
    metric.name = plan_.metric.name;
    metric.unit = plan_.metric.unit;
    metric.higher_is_better = plan_.metric.better == cases::Better::higher;
    return metric;
  }
  static GuardReport& add_guard(MetricReport& metric, const cases::GuardedMetric& guard) {
    GuardReport& report = metric.guards.emplace_back();
    report.name = guard.metric.name;
    report.unit = guard.metric.unit;
    report.higher_is_better = guard.metric.better == cases::Better::higher;
    report.most_loss = guard.most_loss;
    return report;
  }

  [[nodiscard]] double budget_seconds() const { return plan_.budget_seconds * request_.longer; }
  [[nodiscard]] double min_gain() const { return incumbent_->min_gain.value_or(plan_.min_gain); }

  // A run of the candidate is right where it is checked, or put out what the incumbent did by the
  // same seed.
  void require_right(const BuiltProgram& candidate, MeasuredRun& run,
                     const MeasuredRun& incumbent) const {
    const bool is_known = setting_.server == nullptr && !plan_.outputs.empty() &&
                          !has_metrics_of_check() && run.outputs.files == incumbent.outputs.files;
    if (!is_known) candidate.check(run);
  }

  [[nodiscard]] MeasuredRun incumbent_run(BuiltProgram& incumbent, const std::string& seed) {
    const auto once = [&] {
      MeasuredRun run = incumbent.run(seed);
      if (has_metrics_of_check()) incumbent.check(run);
      return run;
    };
    if (has_forgiven_) return of_incumbent(once);
    // One that was right dozens of times may fail once, and a night is not to end for it.
    try {
      return once();
    } catch (const Refused& refused) {
      has_forgiven_ = true;
      result_.warnings.push_back(
          fmt::format("{} failed once, and was run again: {}", incumbent_->name, refused.reason()));
    }
    return of_incumbent(once);
  }

  void compare(BuiltProgram& candidate, MeasuredRun first) {
    const Incumbent& kept = *incumbent_;
    const auto built = of_incumbent([&] {
      return std::make_unique<BuiltProgram>(setting_,
                                            editable_files(problem_, kept.source, kept.files));
    });
    BuiltProgram& incumbent = *built;
    note_span("build the incumbent", incumbent.build_seconds());
    compared_ = Clock::now();
    MeasuredRun theirs = incumbent_run(incumbent, first.seed);
    add_pair(std::move(first), std::move(theirs));
    if (may_be_deterministic() && decide_at_once(candidate, incumbent)) return;
    Conclusion conclusion = conclude(candidate, incumbent);
    // A start has its luck, which all runs on it share and the next start does not have.
    if (conclusion == Conclusion::faster && keeps_servers()) {
      candidate.end_server();
      incumbent.end_server();
      pairs_ = MetricPairs(plan_.metric);
      compared_ = Clock::now();
      conclusion = conclude(candidate, incumbent);
      has_started_twice_ = true;
    }
    report(conclusion, candidate, incumbent);
  }

  [[nodiscard]] Conclusion conclude(BuiltProgram& candidate, BuiltProgram& incumbent) {
    Conclusion conclusion = Conclusion::undecided;
    while (conclusion == Conclusion::undecided && may_have_another(kFewestRuns)) {
      run_pair(candidate, incumbent);
      conclusion = pairs_.look(min_gain(), most_pairs());
    }
    return conclusion == Conclusion::undecided ? pairs_.conclusion(min_gain()) : conclusion;
  }

  // Each pair by a seed of its own, in an order of its own.
  void run_pair(BuiltProgram& candidate, BuiltProgram& incumbent) {
    const std::string seed = new_seed();
    // Drawn by itself: programs see the seed.
    const bool candidate_first = new_seed().back() % 2 == 0;
    std::optional<MeasuredRun> ours;
    if (candidate_first) ours = candidate.run(seed);
    MeasuredRun theirs = incumbent_run(incumbent, seed);
    if (!ours) ours = candidate.run(seed);
    require_right(candidate, *ours, theirs);
    add_pair(std::move(*ours), std::move(theirs));
  }

  void add_pair(MeasuredRun ours, MeasuredRun theirs) {
    pairs_.add(value_of(ours), value_of(theirs));
    for (std::size_t i = 0; i < plan_.guards.size(); ++i) {
      const std::string& name = plan_.guards[i].metric.name;
      guards_[i].add(ours.values.at(name), theirs.values.at(name));
    }
  }

  // What fits into the budget, as fast as pairs have been so far.
  [[nodiscard]] int most_pairs() const {
    if (pairs_.count() == 0) return kFewestRuns;
    const double each = seconds_since(compared_) / pairs_.count();
    const int fitting = static_cast<int>(std::min(budget_seconds() / each, 1e6));
    return std::clamp(fitting, kFewestRuns, kMostRunPairs);
  }
  [[nodiscard]] bool may_have_another(int least) const {
    return pairs_.count() < least || pairs_.count() < most_pairs();
  }

  // Where three runs of the incumbent agree exactly, one of the candidate decides; two more have to
  // agree with it before it is kept. False: the metric varies.
  [[nodiscard]] bool decide_at_once(BuiltProgram& candidate, BuiltProgram& incumbent) {
    const double ours = pairs_.candidate().front();
    const double theirs = pairs_.incumbent().front();
    std::vector<MeasuredRun> further;
    for (int i = 1; i < kRunsThatAgree; ++i) {
      further.push_back(incumbent_run(incumbent, new_seed()));
      if (value_of(further.back()) == theirs) continue;
      // They are halves of pairs.
      for (MeasuredRun& run : further) {
        MeasuredRun same = candidate.run(run.seed);
        require_right(candidate, same, run);
        add_pair(std::move(same), std::move(run));
      }
      return false;
    }
    MetricPairs one = pairs_;
    const bool is_better = one.figures().gain >= min_gain();
    if (is_better) {
      for (MeasuredRun& run : further) {
        MeasuredRun same = candidate.run(run.seed);
        candidate.check(same);
        const bool agrees = value_of(same) == ours;
        add_pair(std::move(same), std::move(run));
        if (!agrees) return false;
      }
      // Of figures with few digits, three may agree by chance; more cost only what is kept.
      while (pairs_.count() < kPairsBeforeItIsKept && may_have_another(kRunsThatAgree)) {
        run_pair(candidate, incumbent);
        if (pairs_.candidate().back() != ours || pairs_.incumbent().back() != theirs) return false;
      }
    }
    is_deterministic_ = true;
    report(is_better ? Conclusion::faster : Conclusion::not_faster, candidate, incumbent);
    return true;
  }

  void report(Conclusion conclusion, BuiltProgram& candidate, BuiltProgram& incumbent) {
    std::string fault;
    if (conclusion == Conclusion::faster) {
      while (are_guards_open() && may_have_another(kFewestPairs)) run_pair(candidate, incumbent);
      fault = guard_fault();
    }
    const MetricPairs::Figures figures = pairs_.figures();
    PairedComparison& comparison = result_.comparison.emplace();
    comparison.incumbent_name = incumbent_->name;
    comparison.min_gain = min_gain();
    comparison.gain = figures.gain;
    comparison.gain_low = figures.gain_low;
    comparison.gain_high = figures.gain_high;
    comparison.p_value = figures.p_value;
    comparison.standard_error = figures.standard_error;
    comparison.values = figures.values;
    comparison.incumbent_times = summarise(pairs_.incumbent());
    comparison.as_fast = pairs_.is_surely_at_least(log_ratio_of(-min_gain())) ||
                         (is_deterministic_ && figures.gain > -min_gain());
    comparison.reason =
        figures_text(plan_.metric, figures, comparison.incumbent_name, pairs_.count());
    comparison.outcome = Outcome::inconclusive;
    if (conclusion == Conclusion::faster) {
      comparison.outcome = fault.empty() ? Outcome::faster : Outcome::over_guard_rail;
      if (!fault.empty()) comparison.reason += "; but " + fault;
    } else if (conclusion == Conclusion::not_faster) {
      comparison.outcome = Outcome::not_faster;
      comparison.reason += fmt::format("; the minimum gain is {:g} %", 100 * min_gain());
    } else {
      comparison.reason +=
          fmt::format("; too noisy to detect a gain of {:g} % in the {:g} s that are its budget",
                      100 * min_gain(), budget_seconds());
    }
    if (is_deterministic_) comparison.reason += "; runs agree exactly";
    if (has_started_twice_)
      comparison.reason += "; on servers that were started again, after others had shown a gain";
    if (!fault.empty()) comparison.as_fast = false;
    result_.times = summarise(pairs_.candidate());
    result_.bench_seconds = seconds_since(compared_);
    report_metrics();
  }

  void report_metrics() {
    MetricReport& metric = begin_report();
    metric.value = median(pairs_.candidate());
    metric.samples = pairs_.candidate();
    metric.incumbent = median(pairs_.incumbent());
    metric.deterministic = is_deterministic_;
    for (std::size_t i = 0; i < plan_.guards.size(); ++i) {
      GuardReport& report = add_guard(metric, plan_.guards[i]);
      const MetricPairs::Figures figures = guards_[i].figures();
      report.value = median(guards_[i].candidate());
      report.incumbent = median(guards_[i].incumbent());
      report.gain = figures.gain;
      report.gain_low = figures.gain_low;
      report.gain_high = figures.gain_high;
    }
  }

  // What of a guard's bound, which counts from the baseline on, is left beside the incumbent.
  [[nodiscard]] double bound_of(const cases::GuardedMetric& guard) const {
    const auto& known = incumbent_->guard_log_ratios;
    const auto found = known.find(guard.metric.name);
    return log_ratio_of(-guard.most_loss) - (found == known.end() ? 0 : found->second);
  }
  // Whether more pairs could tell that a guard-rail is kept, or is not.
  [[nodiscard]] bool are_guards_open() const {
    for (std::size_t i = 0; i < plan_.guards.size(); ++i) {
      const double bound = bound_of(plan_.guards[i]);
      if (!guards_[i].is_surely_at_least(bound) && !guards_[i].is_surely_below(bound)) return true;
    }
    return false;
  }
  [[nodiscard]] std::string guard_fault() const {
    for (std::size_t i = 0; i < plan_.guards.size(); ++i) {
      const cases::GuardedMetric& guard = plan_.guards[i];
      const double bound = bound_of(guard);
      if (guards_[i].is_surely_at_least(bound)) continue;
      return fmt::format("{}, and surely {} is allowed, as {:g} % against the baseline are",
                         figures_text(guard.metric, guards_[i].figures(), "it", guards_[i].count()),
                         change_text(guard.metric, gain_of(bound)), 100 * guard.most_loss);
    }
    return {};
  }

  const Request& request_;
  const Incumbent* incumbent_;  // the request's; null: there is none
  const cases::Case& problem_;
  const cases::CommandPlan& plan_;
  const Observer& observer_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point compared_;
  Clock::time_point entered_ = begun_;
  Phase phase_ = Phase::start;
  Result result_;
  Interrupts interrupts_;
  ScratchDirectory scratch_;
  ProcessTree tree_;
  CommandSetting setting_;
  std::optional<ReferenceServer> reference_;  // of a [server] case
  MetricPairs pairs_{plan_.metric};
  std::vector<MetricPairs> guards_ = guard_pairs();
  bool is_deterministic_ = false;
  bool has_forgiven_ = false;       // the incumbent, once
  bool has_started_twice_ = false;  // servers that are kept

  [[nodiscard]] std::vector<MetricPairs> guard_pairs() const {
    std::vector<MetricPairs> all;
    all.reserve(plan_.guards.size());
    for (const cases::GuardedMetric& guard : plan_.guards) all.emplace_back(guard.metric);
    return all;
  }
};

[[nodiscard]] const cases::CommandPlan& plan_of(const cases::Case& problem) {
  if (!problem.command) throw Error(Stop::internal, "the case is none of commands");
  return *problem.command;
}

}  // namespace

bool is_of_command(const Request& request) {
  const auto text = request.case_files.find("case.toml");
  return text != request.case_files.end() && text->second.find("[command]") != std::string::npos &&
         case_of(request).command.has_value();
}

std::string set_up_fault(const Request& request, const Observer& observer) {
  const cases::Case problem = case_of(request);
  return CommandTrial(request, problem, plan_of(problem), observer).set_up_fault();
}

std::vector<DamagedOutput> check_damaged_outputs(const Request& request, const Observer& observer) {
  const cases::Case problem = case_of(request);
  return CommandTrial(request, problem, plan_of(problem), observer).check_damaged();
}

Result supervise_command(const Request& request, const Observer& observer) {
  const cases::Case problem = case_of(request);
  return CommandTrial(request, problem, plan_of(problem), observer).run();
}

}  // namespace autokernel::trial
