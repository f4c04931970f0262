#include "autokernel/programs/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <system_error>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/foreground.h"
#include "autokernel/base/run_to_end.h"
#include "autokernel/base/scratch.h"
#include "programs/program_environment.h"
#include "programs/verify/guilty.h"
#include "programs/verify/measure.h"
#include "programs/verify/program_run.h"

namespace autokernel::programs {
namespace {

using Clock = std::chrono::steady_clock;

// Those that kernels cause, as cuda.h numbers them.
[[nodiscard]] std::string error_text(std::uint64_t error) {
  switch (error) {
    case 1:
      return "CUDA_ERROR_INVALID_VALUE";
    case 2:
      return "CUDA_ERROR_OUT_OF_MEMORY";
    case 200:
      return "CUDA_ERROR_INVALID_IMAGE";
    case 209:
      return "CUDA_ERROR_NO_BINARY_FOR_GPU: it was compiled for another GPU";
    case 700:
      return "CUDA_ERROR_ILLEGAL_ADDRESS";
    case 701:
      return "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES";
    case 702:
      return "CUDA_ERROR_LAUNCH_TIMEOUT";
    case 716:
      return "CUDA_ERROR_MISALIGNED_ADDRESS";
    case 719:
      return "CUDA_ERROR_LAUNCH_FAILED";
    default:
      return fmt::format("CUDA's error {}", error);
  }
}

[[nodiscard]] std::string text_of(const Ending& ending) {
  if (ending.signal != 0) {
    return fmt::format("was ended by signal {} ({})", ending.signal, ::strsignal(ending.signal));
  }
  return fmt::format("ended with exit code {}", ending.code);
}

class Verifying {
 public:
  explicit Verifying(const VerificationRequest& request)
      : request_(request), start_(request.command, request.device) {
    made_.in_graphs = request.in_graphs;
    for (const std::string& name : request.kernels) made_.kernels.emplace_back().name = name;
  }

  [[nodiscard]] Verification verify() {
    run_original();
    while (check_results()) {
    }
    if (!made_.right().empty()) compare_times();
    return std::move(made_);
  }

 private:
  void run_original();
  // Whether it has to be done again, with fewer kernels or without graphs.
  [[nodiscard]] bool check_results();
  [[nodiscard]] bool judge_launches(const ProgramLaunches& launches);
  void blame(const std::string& why);
  void compare_times();
  void note_course(const ProgramLaunches& checked, const ProgramLaunches& used);

  [[nodiscard]] ProgramRun run(const std::vector<std::size_t>* only, bool checks,
                               const std::vector<std::uint64_t>& spots);
  [[nodiscard]] ProgramRun run_as_it_is() { return run(nullptr, false, {}); }
  [[nodiscard]] ProgramRun run_with(const std::vector<std::size_t>& only, bool checks = false,
                                    const std::vector<std::uint64_t>& spots = {}) {
    return run(&only, checks, spots);
  }
  // Why the run is not what the program does by itself; empty: it is.
  [[nodiscard]] std::string why_wrong(const ProgramRun& run) const;
  [[nodiscard]] std::string failed_check(const ProgramRun& run) const;
  [[nodiscard]] std::string wrong_text(std::size_t kernel, const WrongElement& wrong) const;
  // Whether any launch of a kernel that is right is wrong in a run that compares one of each.
  [[nodiscard]] bool is_wrong_at_a_spot();

  const VerificationRequest& request_;
  const Interrupts interrupts_;
  const ProgramStart start_;
  ProgramRun original_;
  Verification made_;
};

ProgramRun Verifying::run(const std::vector<std::size_t>* only, bool checks,
                          const std::vector<std::uint64_t>& spots) {
  ++made_.runs;
  if (only == nullptr) {
    return run_program(start_, nullptr, request_.patience_seconds, interrupts_);
  }
  const Replacing replacing{.folder = request_.replacements,
                            .count = request_.kernels.size(),
                            .only = *only,
                            .products = request_.replaces_products,
                            .in_graphs = made_.in_graphs,
                            .checks = checks,
                            .spots = spots};
  return run_program(start_, &replacing, request_.patience_seconds, interrupts_);
}

std::string Verifying::failed_check(const ProgramRun& run) const {
  if (request_.check_command.empty()) return {};
  const ScratchDirectory folder;
  const std::filesystem::path output = folder.path() / "output.txt";
  write_file_atomically(output, run.output, Sync::no);
  const EndedRun checked = run_to_end(
      {.program = "/bin/sh",
       .arguments = {"-c", request_.check_command},
       .environment = {{"AUTOKERNEL_OUTPUT", output.string()}}},
      std::chrono::seconds(static_cast<std::int64_t>(std::max(1.0, request_.patience_seconds))),
      std::size_t{1} << 16U);
  if (checked.succeeded()) return {};
  return fmt::format("--check does not accept it: {}",
                     checked.output.empty() ? "it ended with an error" : last_line(checked.output));
}

std::string Verifying::why_wrong(const ProgramRun& run) const {
  if (!run.ending) {
    return fmt::format("it had not ended after {:.0f} s", request_.patience_seconds);
  }
  if (original_.ending && (run.ending->code != original_.ending->code ||
                           run.ending->signal != original_.ending->signal)) {
    const std::string last = last_line(run.output);
    return "it " + text_of(*run.ending) + (last.empty() ? "" : ": " + last);
  }
  if (request_.same_output && run.output_hash != original_.output_hash) {
    return "it printed something else";
  }
  return failed_check(run);
}

std::string Verifying::wrong_text(std::size_t kernel, const WrongElement& wrong) const {
  constexpr std::uint64_t kBesideTensors = 0xFFFFFFFF;
  std::string text = fmt::format("; first, launch {}: ", wrong.launch);
  const auto& tensors = request_.tensors.at(kernel);
  if (wrong.tensor == kBesideTensors || wrong.tensor >= tensors.size()) {
    return text + "it changed memory beside its tensors";
  }
  return text + fmt::format("element {} of {} is {:.9g}, the original's {:.9g}", wrong.element,
                            tensors[wrong.tensor], wrong.got, wrong.expected);
}

void Verifying::run_original() {
  request_.progress("the program as it is");
  original_ = run_as_it_is();
  const auto refuse = [&](const std::string& why) {
    return Error(Stop::usage, fmt::format("cannot verify kernels in a program that goes wrong by "
                                          "itself: {}",
                                          why));
  };
  if (!original_.ending) {
    throw refuse(
        fmt::format("it had not ended after {:.0f} s (--timeout)", request_.patience_seconds));
  }
  if (original_.ending->signal != 0) {
    throw refuse(fmt::format("it {}", text_of(*original_.ending)));
  }
  // A program that the shell could not start, as its libraries are missing, say.
  constexpr int kNotRun = 126;
  if (original_.ending->code >= kNotRun) {
    throw refuse(fmt::format("it {}: {}", text_of(*original_.ending), last_line(original_.output)));
  }
  (void)measured(request_.measure, original_);
  const std::string failed = failed_check(original_);
  if (!failed.empty()) throw refuse(failed);
  if (!request_.same_output) return;
  if (run_as_it_is().output_hash != original_.output_hash) {
    throw Error(Stop::usage,
                "--same-output cannot be used: the program prints something else each time; have "
                "a command decide instead (--check)");
  }
}

// What results of launches say about each kernel; whether any is out that was in.
bool Verifying::judge_launches(const ProgramLaunches& launches) {
  bool is_any_out = false;
  for (const std::size_t number : made_.right()) {
    VerifiedKernel& kernel = made_.kernels[number];
    kernel.launches = launches.kernels[number];
    const ReplacedLaunches& seen = kernel.launches;
    if (seen.wrong > 0) {
      kernel.verdict = KernelVerdict::wrong;
      kernel.why =
          fmt::format("{} of {} launches that were compared differ", seen.wrong, seen.checked);
      if (const auto& wrong = seen.first_wrong) kernel.why += wrong_text(number, *wrong);
    } else if (seen.driver_error != 0) {
      kernel.verdict = KernelVerdict::refused;
      kernel.why = fmt::format("a launch of it ended with {}", error_text(seen.driver_error));
    } else if (seen.replaced() == 0) {
      kernel.verdict = KernelVerdict::unused;
      kernel.why = seen.seen() == 0 ? "the program did not launch the kernel that it is for"
                                    : "no launch was one that it is judged for";
    }
    is_any_out = is_any_out || kernel.verdict != KernelVerdict::right;
  }
  return is_any_out;
}

// The program as a whole went wrong, and no launch by itself says why.
void Verifying::blame(const std::string& why) {
  request_.progress("which kernel the program goes wrong with");
  std::string last = why;
  const auto guilty = guilty_one(made_.right(), [&](const std::vector<std::size_t>& some) {
    const std::string wrong = why_wrong(run_with(some));
    if (!wrong.empty()) last = wrong;
    return !wrong.empty();
  });
  for (const std::size_t number : made_.right()) {
    if (guilty && number != *guilty) continue;
    VerifiedKernel& kernel = made_.kernels[number];
    kernel.verdict = KernelVerdict::guilty;
    kernel.why = guilty ? fmt::format("with it alone the program goes wrong: {}", last)
                        : fmt::format(
                              "with all of them the program goes wrong ({}), with none of "
                              "them alone",
                              why);
  }
}

// Whoever can tell a run in which results are compared from any other could be right in that alone.
// So there are runs in which one launch of each kernel is, and nothing before it.
bool Verifying::is_wrong_at_a_spot() {
  constexpr int kRuns = 2;
  for (int i = 0; i < kRuns; ++i) {
    request_.progress("results of one launch of each kernel compared");
    std::vector<std::uint64_t> spots;
    for (const VerifiedKernel& kernel : made_.kernels) {
      const std::uint64_t processes = std::max<std::uint64_t>(made_.processes, 1);
      // Within a graph, as often as it was launched: the compared ones are a part of those.
      spots.push_back(std::max(kernel.launches.replaced(), kernel.launches.checked) / processes);
    }
    const ProgramRun run = run_with(made_.right(), true, spots);
    bool is_any_wrong = false;
    for (const std::size_t number : made_.right()) {
      VerifiedKernel& kernel = made_.kernels[number];
      const ReplacedLaunches& seen = run.launches.kernels[number];
      kernel.launches.checked += seen.checked;
      if (seen.wrong == 0) continue;
      kernel.verdict = KernelVerdict::wrong;
      kernel.why = "in a run in which that launch alone was compared, it differs";
      if (const auto& wrong = seen.first_wrong) kernel.why += wrong_text(number, *wrong);
      is_any_wrong = true;
    }
    if (is_any_wrong) return true;
  }
  return false;
}

// A program that iterates until it is satisfied may do less with wrong results.
void Verifying::note_course(const ProgramLaunches& checked, const ProgramLaunches& used) {
  for (const std::size_t number : made_.right()) {
    const std::uint64_t before = checked.kernels[number].seen();
    const std::uint64_t now = used.kernels[number].seen();
    if (before == now) continue;
    made_.why_no_speedup = fmt::format(
        "the program launches the kernel of {} {} times in one run and {} times in another: what "
        "it "
        "does depends on results or on time, so that its speed says little",
        made_.kernels[number].name, before, now);
  }
}

bool Verifying::check_results() {
  const std::vector<std::size_t> right = made_.right();
  if (right.empty()) return false;
  request_.progress("results of launches compared");
  const ProgramRun run = run_with(right, true);
  made_.processes = std::max(made_.processes, run.launches.processes);
  if (run.launches.node_changes > 0 && made_.in_graphs) {
    made_.in_graphs = false;
    made_.why_no_graphs =
        "the program reads or changes single kernels of its CUDA graphs, in which none is replaced";
    return true;
  }
  // Of a run that did not come to its end, not all launches were seen.
  if (run.ending && judge_launches(run.launches)) return true;
  const std::string in_comparison = why_wrong(run);
  if (in_comparison.empty() && is_wrong_at_a_spot()) return true;
  // As it is used: without anything between two launches.
  request_.progress("the program with all kernels");
  const ProgramRun used = run_with(right);
  const std::string wrong = why_wrong(used);
  if (wrong.empty()) {
    made_.why_not_compared = in_comparison;
    if (!in_comparison.empty() && judge_launches(used.launches)) return true;
    if (in_comparison.empty()) note_course(run.launches, used.launches);
    return false;
  }
  blame(wrong);
  return true;
}

void Verifying::compare_times() {
  std::vector<PairOfRuns> pairs;
  std::random_device random;
  const auto begin = Clock::now();
  const auto is_time_up = [&] {
    return std::chrono::duration<double>(Clock::now() - begin).count() > request_.budget_seconds;
  };
  int look = request_.fewest_pairs;
  constexpr std::size_t kFewest = 3;  // that an estimate takes
  while (static_cast<int>(pairs.size()) < request_.most_pairs) {
    request_.progress(fmt::format("pair {} of at most {}", pairs.size() + 1, request_.most_pairs));
    const std::vector<std::size_t> right = made_.right();
    const bool is_original_first = random() % 2 == 0;
    PairOfRuns pair;
    for (const bool is_original : {is_original_first, !is_original_first}) {
      const ProgramRun run = is_original ? run_as_it_is() : run_with(right);
      const std::string wrong = why_wrong(run);
      if (!wrong.empty() && is_original) {
        throw Error(Stop::usage,
                    fmt::format("the program as it is does not do the same each time: {}", wrong));
      }
      if (!wrong.empty()) {
        blame(wrong);
        pairs.clear();
        made_.speedup.reset();
        if (made_.right().empty()) return;
        break;
      }
      (is_original ? pair.original : pair.replaced) = measured(request_.measure, run);
    }
    if (pair.original == 0 || pair.replaced == 0) continue;
    pairs.push_back(pair);
    const bool is_last = static_cast<int>(pairs.size()) == request_.most_pairs || is_time_up();
    if ((static_cast<int>(pairs.size()) < look && !is_last) || pairs.size() < kFewest) continue;
    made_.speedup = speedup_of(pairs, request_.measure.higher_is_better, is_last);
    if (is_last || made_.speedup->conclusion != ProgramSpeedup::Conclusion::unclear) return;
    look = next_look_after(look);
  }
}

}  // namespace

const char* spelling(ProgramSpeedup::Conclusion conclusion) {
  switch (conclusion) {
    case ProgramSpeedup::Conclusion::faster:
      return "faster";
    case ProgramSpeedup::Conclusion::slower:
      return "slower";
    case ProgramSpeedup::Conclusion::no_difference:
      return "no_difference";
    case ProgramSpeedup::Conclusion::unclear:
      return "unclear";
  }
  return "";
}

const char* spelling(KernelVerdict verdict) {
  switch (verdict) {
    case KernelVerdict::right:
      return "right";
    case KernelVerdict::unused:
      return "unused";
    case KernelVerdict::wrong:
      return "wrong";
    case KernelVerdict::guilty:
      return "guilty";
    case KernelVerdict::refused:
      return "refused";
  }
  return "";
}

std::vector<std::size_t> Verification::right() const {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].verdict == KernelVerdict::right) numbers.push_back(i);
  }
  return numbers;
}

void check(const VerificationRequest& request) {
  (void)program_called(request.command.front());
  check_pattern(request.measure);
}

Verification verify(const VerificationRequest& request) { return Verifying(request).verify(); }

Application apply(const ApplicationRequest& request) {
  const ProgramStart start(request.command, request.device);
  const ScratchDirectory tallies;
  const Replacing replacing{.folder = request.replacements,
                            .count = request.kernels,
                            .only = {},
                            .products = request.replaces_products,
                            .in_graphs = request.in_graphs,
                            .checks = false,
                            .spots = {}};
  Application applied;
  applied.ending = run_in_foreground(start.replaced(replacing, tallies.path()), Prints::to_output);
  applied.launches = read_tallies(tallies.path(), request.kernels);
  return applied;
}

}  // namespace autokernel::programs
