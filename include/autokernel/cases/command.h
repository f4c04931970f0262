// [command] of case.toml: a case whose editable files are no kernel. Programs build, run and check
// them, and what is kept is what improves a number that a run comes to.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace autokernel::cases {

// A member of a JSON object by its JSON pointer (RFC 6901), "/latency/median_us": of the file that
// is named, or else of the last line of standard output that is a JSON object. Of several, the
// geometric mean.
struct JsonNumber {
  std::vector<std::string> pointers;
  std::string file;  // one of the outputs; empty: standard output
};
// The number in the one group of a regular expression (ECMAScript): of its last match in a line of
// that file, or of standard output.
struct NumberInLine {
  std::string pattern;
  std::string file;
};
// Seconds from the start of the run to its end, by the clock of whoever started it.
struct WallTime {};
// Seconds of processor time of all that the run has started.
struct CpuTime {};

enum class Better : std::uint8_t { lower, higher };

// A number that a run comes to. It is above 0: what is compared are ratios.
struct Metric {
  std::string name;  // "median_us"
  std::string unit;  // "us"; may be empty
  Better better = Better::lower;
  std::variant<JsonNumber, NumberInLine, WallTime, CpuTime> source;
  bool is_of_check = false;  // it is what the check prints, and not the run
};

// A number that may not become much worse while the metric becomes better.
struct GuardedMetric {
  Metric metric;
  double most_loss = 0;  // relative, against the baseline of a run: 0.05
};

// [load]: requests to a server, and how they come.
struct LoadPlan {
  // A closed loop with so many requests under way, or an open one at so many per second.
  int concurrency = 1;
  std::optional<double> rate;
  int requests = 32;
  int warm_up = 4;
  std::string input_tokens = "64";   // lab::LengthDistribution, in words
  std::string output_tokens = "32";  // the same, in tokens
  std::string prompts;  // a fixed file of the case with JSON lines; empty: they are drawn
};

// [[suite]]: another load on the same server, after the first, whose figures are numbers of the
// same run: "/suites/NAME/tpot/mean".
struct SuitePlan {
  std::string name;
  LoadPlan load;
};

// [server], [load] and [[suite]]: what is measured is no run of a program, but load on a server of
// the OpenAI HTTP interface that the program is. Each timed answer must be that of the reference's
// server.
struct ServerPlan {
  // Lines for /bin/sh; each server listens on port $AUTOKERNEL_PORT of 127.0.0.1.
  std::string start;
  std::string reference;
  std::string health = "/health";  // answers 200 when it is up
  double start_seconds = 120;
  // It is started once for all the runs of an experiment, and stands still where it is not
  // measured; else anew for each run.
  bool is_kept = false;
  bool is_chat = false;  // /v1/chat/completions, or /v1/completions
  std::string model;
  LoadPlan load;
  std::vector<SuitePlan> suites;
  double request_seconds = 300;
  int probes = 4;  // requests one by one, before the load
};

struct CommandLimits {
  double build_seconds = 300;
  double run_seconds = 600;
  double check_seconds = 300;
  std::uint64_t memory_bytes = 4ULL << 30U;  // of all processes of a command together
};

// Lines for /bin/sh, which are run in a folder of their own.
struct CommandPlan {
  std::string build;   // may be empty
  std::string set_up;  // what `case check` runs before all else; may be empty
  std::string run;
  std::string check;
  std::vector<std::string> outputs;  // what a run leaves for the check, by path from its folder
  // Patterns (EditableFiles) of files that the check alone sees, and of those that are no part of
  // the case.
  std::vector<std::string> hidden;
  std::vector<std::string> ignored;
  std::vector<std::filesystem::path> readable;  // beside the folder and the system's own
  bool network = false;
  int gpus = 0;                      // that the commands may use
  std::optional<ServerPlan> server;  // then there is no `run`
  Metric metric;
  std::vector<GuardedMetric> guards;
  double min_gain = 0.01;      // relative
  double budget_seconds = 60;  // of an experiment's runs
  CommandLimits limits;
};

// What a run writes beside a case that lies at the root of its repository, and `autokernel plot`
// wherever the user is: no files of a case.
inline constexpr std::string_view kResults = "results.tsv";
inline constexpr std::array<std::string_view, 3> kPlots = {"progress.png", "progress.svg",
                                                           "progress.html"};

// "lower", "higher", as in case.toml.
[[nodiscard]] const char* spelling(Better better);

}  // namespace autokernel::cases
