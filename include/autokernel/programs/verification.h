// A program with kernels of ours in the place of its own: whether it still does what it did,
// whether ours ran, and whether it is faster as a whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/process.h"
#include "autokernel/driver/device_choice.h"
#include "autokernel/programs/replaced_launches.h"

namespace autokernel::programs {

// What is compared of two runs of a program.
struct Measure {
  // What stands in its group is the number; the last match in what the program prints counts.
  // Empty: the seconds from its start to its end.
  std::string pattern;
  bool higher_is_better = false;
};

struct VerificationRequest {
  std::vector<std::string> command;  // the program, looked for on the PATH, and its arguments
  driver::DeviceChoice device;
  std::filesystem::path replacements;                  // the folder that write_replacements() wrote
  std::vector<std::string> kernels;                    // names of them, in the order of the list
  std::vector<std::vector<std::string>> tensors = {};  // names of those of each
  bool replaces_products = false;  // whether any of them stands for calls of cuBLAS
  bool in_graphs = true;           // whether launches that graphs record are replaced
  Measure measure;
  bool same_output = false;  // whether what it prints has to be the same
  std::string
      check_command;      // for a shell; 0: the run was right. $AUTOKERNEL_OUTPUT has its output
  int fewest_pairs = 10;  // of runs that are compared
  int most_pairs = 40;
  double budget_seconds = 900;    // after which no further pair is begun
  double patience_seconds = 600;  // for one run
  // Told what is being done, in a few words.
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// How often the program's time with ours is in its time without.
struct ProgramSpeedup {
  int pairs = 0;
  double ratio = 1;          // above 1: faster with ours
  double low = 1, high = 1;  // 99 % interval
  double original = 0;       // medians: seconds, or what the measure gives
  double replaced = 0;
  enum class Conclusion : std::uint8_t { faster, slower, no_difference, unclear };
  // no_difference: the interval is narrow, and holds 1 or what is hardly more or less; unclear: it
  // is too wide to tell.
  Conclusion conclusion = Conclusion::unclear;
};
[[nodiscard]] const char* spelling(ProgramSpeedup::Conclusion conclusion);

enum class KernelVerdict : std::uint8_t {
  right,    // it ran, and what was compared is right
  unused,   // no launch was one that it is judged for
  wrong,    // its results differ on the program's own data
  guilty,   // with it alone the program as a whole goes wrong
  refused,  // the driver did not take it, or it faulted
};
[[nodiscard]] const char* spelling(KernelVerdict verdict);

struct VerifiedKernel {
  std::string name;
  KernelVerdict verdict = KernelVerdict::right;
  std::string why;            // a sentence; empty where it is right
  ReplacedLaunches launches;  // of the run in which results were compared
};

struct Verification {
  std::vector<VerifiedKernel> kernels;  // in the order of the request
  std::uint64_t processes = 0;          // in which kernels were replaced
  bool in_graphs = true;                // whether graphs had ours, too
  std::string why_no_graphs;            // why not, where they were meant to
  // Why results of launches could not be compared: the program went wrong only while they were.
  std::string why_not_compared;
  std::optional<ProgramSpeedup> speedup;  // with those that are right; none: there are none
  std::string why_no_speedup;             // why it says little; empty: it does
  int runs = 0;                           // of the program, in all

  // The numbers of those that are right.
  [[nodiscard]] std::vector<std::size_t> right() const;
};

// What can be said without running the program. Throws Error(usage).
void check(const VerificationRequest& request);
// Runs the program as often as it takes. Throws Error(usage) where the program cannot be run, or
// goes wrong by itself; Error(environment) where a library of ours is missing; Interrupted.
[[nodiscard]] Verification verify(const VerificationRequest& request);

// One run of a program with kernels replaced, in the terminal as if it ran by itself.
struct ApplicationRequest {
  std::vector<std::string> command;
  driver::DeviceChoice device;
  std::filesystem::path replacements;
  std::size_t kernels = 0;
  bool replaces_products = false;
  bool in_graphs = true;
};
struct Application {
  Ending ending;
  ProgramLaunches launches;
};
[[nodiscard]] Application apply(const ApplicationRequest& request);

}  // namespace autokernel::programs
