// What the ledger holds: one entry for each thing that happened in a run. docs/ledger.md describes
// every field for those who read the file with other programs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace autokernel::ledger {

// Times are UTC, "2026-01-31T12:34:56.789Z". Ids of git's objects are 40 hexadecimal digits. Paths
// are relative to the repository's root. A value that does not exist is null in the file.

// When an agent is to stop; what is not set sets no bound.
struct Budget {
  std::optional<int> max_runs;     // experiments after the baseline
  std::optional<double> hours;     // since the run was started
  std::optional<int> no_progress;  // experiments since the last one kept
  friend bool operator==(const Budget&, const Budget&) = default;
};

// A file that differed from the commit already when the run was started: what it held.
struct Unsaved {
  std::string path;
  std::string blob;  // empty: it was deleted
  friend bool operator==(const Unsaved&, const Unsaved&) = default;
};

// A file of the program itself when the run was started.
struct HarnessFile {
  std::string name;    // "autokernel", "libautokernel_cpu.so"
  std::string path;    // absolute
  std::string sha256;  // of its bytes
  std::string stamp;   // place, size and times on the disk: while it is the same, so are the bytes
  friend bool operator==(const HarnessFile&, const HarnessFile&) = default;
};

struct RunStarted {
  std::string at;
  std::string program;  // "autokernel 0.1.0"
  std::string tag;
  std::string branch;    // "autokernel/demo"
  std::string base;      // the commit it branched off
  std::string editable;  // "kernels/kernel.cu"
  std::string case_directory;
  std::string device;  // as requested: "auto", "cuda:1", "cpu"
  std::string arch;    // empty: the device's own
  std::string size;
  std::string device_name;     // as found: "NVIDIA H200"
  std::string driver_version;  // "13.0 (580.65)"
  double min_gain = 0;         // relative: 0.005
  Budget budget;
  std::map<std::string, std::string>
      guarded;  // by path, git's id of each file that must not change
  std::vector<Unsaved> unsaved;
  std::vector<HarnessFile> harness;  // empty: an earlier version started the run
  // What git is told, beside any commit, of which files to look at and which bytes to write: by
  // name, git's id of each text. Empty: an earlier version started the run.
  std::map<std::string, std::string> git_rules = {};
  // By folder, as [compile] include has it, the SHA-256 of the headers in it (cases::digest_of).
  std::map<std::string, std::string> headers = {};
  // Patterns of further files that may change, from the folder of `editable`
  // (cases::EditableFiles).
  std::vector<std::string> editable_files = {};
  // By size, the weights of the times that make the score; empty: those at `size` alone.
  std::map<std::string, double> score = {};
  // SHA-256 of the file of sizes that the agent does not see; empty: there is none.
  std::string hidden_sizes = {};
  friend bool operator==(const RunStarted&, const RunStarted&) = default;
};

enum class Status : std::uint8_t { keep, discard, crash };
[[nodiscard]] const char* spelling(Status status);

// How much faster than the incumbent it was: relative, 0.10 for a tenth less time; a slower one is
// negative. The interval holds the true value 95 times in 100.
struct Gain {
  double estimate = 0;
  double low = 0;
  double high = 0;
  int pairs = 0;  // of launches, candidate and incumbent in turn
  friend bool operator==(const Gain&, const Gain&) = default;
};

// What a [command] case is measured by.
struct MetricValue {
  std::string name;  // "ndcg"
  std::string unit;  // empty: it has none
  bool higher_is_better = false;
  double value = 0;
  friend bool operator==(const MetricValue&, const MetricValue&) = default;
};

// A number that may not become much worse, and how much better it was than the incumbent's:
// relative, as Gain::estimate.
struct GuardValue {
  MetricValue metric;
  std::optional<double> gain;
  friend bool operator==(const GuardValue&, const GuardValue&) = default;
};

// What was measured at one of several sizes.
struct SizeFigures {
  std::string size;
  double weight = 1;  // in the score
  std::optional<double> median_us;
  std::optional<double> vs_reference;
  std::optional<Gain> gain;
  friend bool operator==(const SizeFigures&, const SizeFigures&) = default;
};

// Whether somebody is told by a webhook, as far as it was known when the record was written.
struct Webhook {
  bool webhook_enabled_by_config = false;  // there are targets
  bool webhook_disabled_by_flag = false;   // --no-notify
  bool webhook_expected = false;           // what happened is one of the events that are told
  bool webhook_attempted = false;
  bool webhook_sent = false;
  std::string webhook_status;  // "pending", "not configured", ...
  friend bool operator==(const Webhook&, const Webhook&) = default;
};

// One experiment; number 0 is the baseline. Where several sizes make the score, its figures are
// weighted geometric means over them.
struct Experiment {
  std::string at;  // when it began
  std::string tag;
  int number = 0;
  std::string description;
  Status status = Status::discard;
  // "baseline", "kept", "not faster", "inconclusive", "incorrect", "does not compile", "timed out",
  // "crashed", "unsupported", "interrupted"
  std::string verdict;
  std::string reason;     // empty where it was kept
  std::string commit;     // of its source
  std::string incumbent;  // the commit it was compared with; empty for the baseline
  // Of several agents at a time: whose it is, and the commit that this one started from, where that
  // is another one than the incumbent.
  std::optional<int> agent = {};
  std::string base = {};
  std::string source_digest;  // of the source without comments and blanks, to find what was tried
  std::optional<double> median_us;
  std::optional<double> tflops_s;
  std::optional<double> vs_reference;  // the library's time over the kernel's, from the same run
  std::optional<Gain> gain;
  std::vector<SizeFigures> sizes = {};     // where several make the score
  std::optional<MetricValue> metric = {};  // of a [command] case, which has no time of a kernel
  std::vector<GuardValue> guards = {};     // of such a case
  double seconds = 0;                      // the whole step
  std::optional<Webhook> webhook = {};     // by commands that tell nobody: none
  std::string log;                         // path of its full log, from the root
  // The measurement whole, as `autokernel bench --json` prints it (docs/json.md); empty: none was
  // made.
  std::string result;
  // The median time, or what the case is measured by in its place.
  [[nodiscard]] std::optional<double> figure() const {
    return metric ? std::optional(metric->value) : median_us;
  }
  friend bool operator==(const Experiment&, const Experiment&) = default;
};

// Turn::outcome where no agent had its turn: the run waited, for so many seconds.
inline constexpr const char* kParked = "parked";

// One turn of an agent that led to no experiment.
struct Turn {
  std::string at;
  std::string tag;
  std::string outcome;             // "no edit", "other files", "failed", "timed out", ...
  std::string reason;              // in a sentence
  std::vector<std::string> aside;  // files that were taken away from it, where they lie now
  double seconds = 0;
  friend bool operator==(const Turn&, const Turn&) = default;
};

// A ratio of two times, measured again in fresh processes, with its 95 % interval.
struct Confirmed {
  double ratio = 1;  // 2: twice as fast
  double low = 1;
  double high = 1;
  friend bool operator==(const Confirmed&, const Confirmed&) = default;
};

struct RunFinished {
  std::string at;
  std::string tag;
  std::string best;    // the commit
  std::string branch;  // with the kept commits only; empty where none was kept
  int processes = 0;
  std::optional<double> baseline_us;  // medians over the processes
  std::optional<double> best_us;
  std::optional<double> library_us;
  std::optional<MetricValue> baseline_metric = {};  // of a [command] case, in place of times
  std::optional<MetricValue> best_metric = {};
  std::optional<Confirmed> over_baseline = {};
  std::optional<Confirmed> over_library = {};
  std::optional<Webhook> webhook = {};  // as of Experiment
  friend bool operator==(const RunFinished&, const RunFinished&) = default;
};

// An agent was started again, and what lies beside the editable files was no longer what it was
// when the run was started: the user's doing, which the agent is not to be blamed for.
struct RunResumed {
  std::string at;
  std::string tag;
  std::vector<Unsaved> unsaved;  // in place of those of the start
  friend bool operator==(const RunResumed&, const RunResumed&) = default;
};

// The best held against the same without one of the changes that were kept: whether that change
// still pays, now that others have come after it.
struct Ablation {
  std::string at;
  std::string tag;
  std::string best;  // the commit
  int number = 0;    // of the experiment whose change was taken out
  // "pays", "does not pay", "not clear"; "needed" where the rest fails without it, "entangled"
  // where it cannot be taken out by itself
  std::string verdict;
  std::string reason;        // in a sentence
  std::optional<Gain> gain;  // of the best over the rest
  double seconds = 0;
  friend bool operator==(const Ablation&, const Ablation&) = default;
};

using Entry = std::variant<RunStarted, Experiment, Turn, RunFinished, RunResumed, Ablation>;

}  // namespace autokernel::ledger
