// The experiment loop: a run on a branch of its own, and one experiment after the other on it. What
// is faster is kept, everything else is taken back, and nothing is lost, whenever the program is
// killed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/cases/editable_files.h"
#include "autokernel/driver/device_choice.h"
#include "autokernel/ledger/entry.h"
#include "autokernel/loop/status.h"
#include "autokernel/loop/verification.h"
#include "autokernel/trial/retry.h"

namespace autokernel::loop {

class Measurer;
class RunRecord;
class Workspace;
struct AutotuneObserver;
struct AutotuneOptions;
struct Autotuned;
struct DriveObserver;
struct DriveOptions;
struct Driven;
struct ParallelObserver;
struct ParallelOptions;
struct TunedExperiment;
struct WatchObserver;
struct WatchOptions;
struct Watched;

// What somebody may be told of that is about a record.
enum class Told : std::uint8_t { nothing, kept, finish };

// What the loop gets from its caller. A function that is empty is not called, unless it says so.
struct LoopContext {
  // A measurement as the text of its log; may not be empty.
  std::function<std::string(const trial::Request&, const trial::Result&,
                            const std::vector<std::string>& notes)>
      log_text;
  // What else is known that a measurement may need, into its request.
  std::function<void(trial::Request&)> plan;
  // What a record has of notifications when it is written; may be empty.
  std::function<ledger::Webhook(Told)> webhook;
  // Prints a line for the user.
  std::function<void(const std::string&)> say;
  // The program's own files, which must be the same from the start of a run to its end.
  std::vector<std::filesystem::path> harness;
  trial::Observer observer;
  trial::RunnerCommand runner;
  trial::Limits limits;
  // A file of sizes that the agent never sees, at which every kept kernel must be right; empty:
  // there is none. It is read once.
  std::filesystem::path hidden_sizes;
  // Each place where a kill leaves work unfinished, by name; tests kill there.
  std::function<void(std::string_view point)> reached;
};

struct StartOptions {
  std::string tag;
  std::filesystem::path case_directory;  // within the repository
  trial::DeviceChoice device;
  std::string architecture;  // empty: the device's own
  std::string size = "default";
  std::optional<double> min_gain;  // relative; none: what the kind of device can tell apart
  ledger::Budget budget;
};

struct StepOptions {
  double longer = 1;  // of a [command] case: so many times the budget of an experiment
  std::string idea;
  bool again = false;        // even a source that was tried before
  bool simpler = false;      // also keep one that is as fast with clearly less code
  bool over_budget = false;  // even if the run's budget is used up
  // Throws where the run is not as the user has it.
  std::function<void(const ledger::RunStarted&)> accept = {};
};

// The source was that of an earlier experiment of the run; StepOptions::again tries it once more.
class TriedBefore : public Error {
 public:
  explicit TriedBefore(const std::string& what) : Error(Stop::usage, what) {}
};

// What became of an experiment.
struct Step {
  ledger::Experiment experiment;
  trial::Result result;
  ledger::RunStarted run;
  std::optional<double> time_us;  // on the scale of the run (ledger::TimeScale)
  std::string next;               // what to do now, in a sentence
  // What took how long, of the trial and around it, since the step began.
  std::vector<trial::Span> timings = {};
};

// One run's confirmed result.
struct Finish {
  ledger::RunFinished headline;
  trial::DeviceReport device;
  std::string problem;
  std::string library;           // that it was compared with: "OpenBLAS 0.3.21"; empty: none
  std::size_t hidden_sizes = 0;  // at which the best was found to be right as well
  Status status;
};

class Loop {
 public:
  // The loop of the repository that `here` lies in. Takes the lock of its worktree, and finishes or
  // takes back what an earlier program has left half done, saying so. Throws Error(repository)
  // where another program holds the lock, naming it.
  // `purpose` is what other programs report meanwhile: "autokernel loop step".
  [[nodiscard]] static Loop open(const std::filesystem::path& here, const std::string& purpose,
                                 LoopContext context);
  // The same for those who only look: they wait for nobody, hold up nobody and write nothing, so
  // that a disk may be mounted to be read only. But what is half done is repaired, unless somebody
  // else is at it or nothing can be written.
  [[nodiscard]] static Loop open_to_read(const std::filesystem::path& here, LoopContext context);
  // For verify(): with the lock, as nothing may change meanwhile; where nothing can be written,
  // without.
  [[nodiscard]] static Loop open_to_verify(const std::filesystem::path& here,
                                           const std::string& purpose, LoopContext context);
  Loop(Loop&&) noexcept;
  Loop& operator=(Loop&&) noexcept;
  ~Loop();

  // Measures the kernel as it is committed, and starts a run on the branch autokernel/<tag> with it
  // as the baseline. A kernel that fails starts nothing: the result says why, and no experiment is
  // returned. Throws Error(repository) where the state of the repository forbids it, with the
  // remedy; nothing has been changed then.
  struct Started {
    trial::Result result;
    std::optional<Step> step;
    std::string moved_aside;  // where the rows of an earlier run are now; empty: there were none
  };
  [[nodiscard]] Started start(const StartOptions& options);

  // One experiment with the editable file as it is. Throws Error: scope where another file has
  // changed, budget where the run may make no more experiments, usage where the file is as it was
  // or was tried before, repository where the branch is not the run's; nothing has been changed
  // then. An Error of the trial itself (the machine's, not the kernel's) leaves the edit as it is,
  // too. On a signal the experiment is recorded as interrupted, and Interrupted thrown.
  [[nodiscard]] Step step(const StepOptions& options);

  // Has a runner got ready for the next experiment, where that is wanted (trial/resident.h), and
  // comes back at once.
  void anticipate();

  // One experiment after the other, each by a turn of an agent (drive.h). Returns when a bound is
  // reached, or after a signal: while the agent works it is ended, its edit kept aside; a step
  // under way is finished, unless a second signal comes. An agent that edits nothing, edits other
  // files (taken back, kept aside), hangs or fails costs a turn. Throws Error(environment) after so
  // many turns in a row without an experiment that the agent must be at fault.
  [[nodiscard]] Driven drive(const DriveOptions& options, const DriveObserver& observer);

  // Records that the run waited for so many seconds, and why.
  void record_pause(const std::string& why, double seconds);

  // The same with several agents at a time, each in a worktree of its own (parallel.h). What one
  // has edited is held against the best of the moment at which it is recorded. Throws Error where
  // no agent's process can go on, with what the last one met.
  [[nodiscard]] Driven drive_parallel(const ParallelOptions& options,
                                      const ParallelObserver& observer);

  // One experiment after the other, each with what somebody has saved (watch.h). Returns when a
  // bound of the run is reached, or after a signal; a step under way is finished, unless a second
  // signal comes.
  [[nodiscard]] Watched watch(const WatchOptions& options, const WatchObserver& observer);

  // One experiment after the other, each with other values of the parameters that the best kernel
  // declares (autotune.h); those that were measured in this run are not measured again. Returns
  // when a bound is reached or nothing is left, or after a signal; a step under way is finished,
  // unless a second signal comes. Throws Error(usage) where there is nothing to tune, and where an
  // editable file holds an edit.
  [[nodiscard]] Autotuned autotune(const AutotuneOptions& options,
                                   const AutotuneObserver& observer);
  // The experiments of the run whose kernel is the best but for the values of its parameters.
  [[nodiscard]] std::vector<TunedExperiment> tuned() const;

  // Measures baseline, best and library again, in `processes` fresh processes, from what git holds;
  // makes the branch with the kept commits only.
  [[nodiscard]] Finish finish(int processes);

  // Whether changes that were kept still pay: each of these experiments' (all kept ones' where none
  // is named), taken out of the best by itself, which is then held against the best. Each is
  // recorded, and told as it is known. Throws Error(usage) for an experiment that was not kept, and
  // what finish() does.
  [[nodiscard]] std::vector<ledger::Ablation> ablate(
      const std::vector<int>& numbers, const std::function<void(const ledger::Ablation&)>& tell);
  // Writes the best without the change of that experiment into the editable files, to be tried as
  // an edit. Throws Error(usage) where it cannot be taken out, Error(repository) where the files
  // hold an edit already.
  void take_out(int number);

  // Whether the record of a run (of the one on this branch where `tag` is empty) is as it was
  // written, and its best as fast as is claimed, measured in so many fresh processes from what git
  // holds. Writes nothing. Throws Error(repository) where there is no such run, or git has lost
  // what it would take.
  // Of a kernel in Python only if that may run: Error(usage) otherwise. On the run's device, where
  // none is given.
  enum class Python : std::uint8_t { refused, allowed };
  [[nodiscard]] Verification verify(const std::string& tag, int processes,
                                    Python python = Python::refused,
                                    const std::optional<driver::DeviceChoice>& device = {});

  // The run on this branch, as it was started; valid until the next call.
  [[nodiscard]] const ledger::RunStarted& run() const;
  // Where it stands.
  [[nodiscard]] const Status& status() const;
  // All entries of all runs, the oldest first, with what has become of notifications since.
  [[nodiscard]] std::vector<ledger::Entry> history() const;
  // Where what became of a run's notifications is added (ledger::WebhookOutcomes), from the root.
  [[nodiscard]] static std::filesystem::path webhooks_file(const std::string& tag);
  // Throws Error(repository) where there is no run of that name, naming those that there are.
  void require_run(const std::string& tag) const;
  // An experiment of the run on this branch, or where `tag` is not empty of that one, with its
  // measurement, and what has become of its notification. Throws Error(usage) where there is none
  // of that number, and what require_run() does.
  [[nodiscard]] ledger::Experiment experiment(int number, const std::string& tag = {}) const;
  // How the source of one experiment differs from another's, or where none is named from that of
  // the experiment it was compared with; a unified diff.
  [[nodiscard]] std::string diff(int number, std::optional<int> other = std::nullopt) const;
  [[nodiscard]] cases::KernelSource source(const ledger::Experiment& experiment) const;
  // What the compiler made of it. Throws Error(usage) where that has not been kept.
  [[nodiscard]] std::string ptx(const ledger::Experiment& experiment) const;
  // Puts the source of an experiment into the editable files. Throws Error(repository) where that
  // holds an edit that would be lost.
  void restore(int number);

 private:
  Loop(const std::filesystem::path& here, LoopContext context);

  // By pointers, so that a Loop can be moved: the others refer to the first.
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<RunRecord> record_;
  std::unique_ptr<Measurer> measurer_;
};

}  // namespace autokernel::loop
