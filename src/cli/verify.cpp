// `autokernel verify`: whether kernels that won alone win in the program, too.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/scratch.h"
#include "autokernel/base/utc.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/programs/replacement_set.h"
#include "autokernel/programs/verification.h"
#include "autokernel/programs/verification_file.h"
#include "autokernel/trial/verdicts.h"
#include "cli/commands.h"
#include "cli/comparison_options.h"
#include "cli/judged_kernels.h"
#include "cli/launches_text.h"
#include "cli/required_device.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  autokernel verify -- python infer.py
  autokernel verify --metric '([0-9.]+) tokens/s' --higher-is-better -- ./llama-bench -m model.gguf
  autokernel verify --check 'python compare.py "$AUTOKERNEL_OUTPUT"' -- python infer.py
  autokernel verify --case softmax_01 --pairs 20 -- ./model

Each kernel that was written for a case of the program is judged in its case, and put in the place
of the program's own in each launch that equals one it was judged for. Results of random launches
are compared element by element with those of the original; then the program runs with and without
the kernels, in turn, until it is known whether it is faster. What is right is kept in
CASES/verified, for 'autokernel apply' (docs/verify.md).

Exit codes: 0 right and not slower, 2 usage, 3 environment, 10 right, but slower, 11 a kernel is
wrong, or none was put into the program.)";

constexpr int kSlower = 10;
constexpr int kWrong = 11;

class Verify : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "verify"; }
  [[nodiscard]] std::string summary() const override {
    return "Put kernels into the program that they were made for, and compare it";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  void check() const;
  [[nodiscard]] programs::Verification verified(const JudgedKernels& judged,
                                                const fs::path& replacements,
                                                std::ostream& tell) const;
  void keep(const JudgedKernels& judged, const programs::Verification& verification,
            programs::KeptVerification& kept) const;

  std::vector<std::string> command_;
  std::string cases_ = "cases";
  std::vector<std::string> names_;
  std::string device_ = "auto";
  ComparisonOptions comparison_;
  int timeout_ = 600;
  bool json_ = false;
};

void Verify::declare(Options options) {
  options.footer(kExamples);
  options.add_option("COMMAND", command_, "The program to run and its arguments, after --");
  options.add_option("--cases", cases_, "The folder with the program's cases [cases]")
      .type_name("DIR");
  options.add_option("--case", names_, "Only that case's kernel; may be repeated")
      .type_name("NAME");
  add_device(options, device_);
  comparison_.declare(options);
  options.add_option("--timeout", timeout_, "Seconds that one run may take [600]")
      .type_name("N")
      .within(1, 1'000'000);
  options.add_flag("--json", json_, "Print the verification as one JSON object");
}

void Verify::check() const {
  if (command_.empty()) {
    throw Error(Stop::usage,
                "verify needs a program: autokernel verify -- PROGRAM [ARGUMENTS]; see 'autokernel "
                "verify --help'");
  }
  require_device(driver::parse_device(device_));
  comparison_.check(command_);
  // What is kept lies there.
  const fs::path folder = programs::verified_folder(cases_);
  std::error_code failed;
  const bool is_there = fs::exists(cases_, failed);
  if (fs::is_symlink(folder, failed) || (is_there && ::access(cases_.c_str(), W_OK) != 0)) {
    throw Error(Stop::usage,
                fmt::format("cannot keep kernels in {}: it cannot be written to, or is a "
                            "link",
                            folder.string()));
  }
}

programs::Verification Verify::verified(const JudgedKernels& judged, const fs::path& replacements,
                                        std::ostream& tell) const {
  std::vector<programs::KernelToReplace> kernels;
  programs::VerificationRequest request{
      .command = command_,
      .device = driver::parse_device(device_),
      .replacements = replacements,
      .kernels = {},
      .in_graphs = !comparison_.no_graphs,
      .measure = {comparison_.metric, comparison_.higher_is_better},
      .same_output = comparison_.same_output,
      .check_command = comparison_.check_command,
      .fewest_pairs = std::min(10, comparison_.pairs),
      .most_pairs = comparison_.pairs,
      .budget_seconds = 60.0 * comparison_.minutes,
      .patience_seconds = static_cast<double>(timeout_)};
  for (const JudgedKernel& each : judged.kernels) {
    kernels.push_back(each.kernel);
    request.kernels.push_back(each.kernel.extracted.folder);
    std::vector<std::string>& tensors = request.tensors.emplace_back();
    for (const trial::ReadyTensor& tensor : each.kernel.own.tensors) tensors.push_back(tensor.name);
    request.replaces_products =
        request.replaces_products || each.kernel.extracted.product.has_value();
  }
  // A terminal is told what it waits for.
  if (::isatty(STDERR_FILENO) == 1) {
    request.progress = [&tell](const std::string& what) {
      tell << "\r\033[K" << what << std::flush;
    };
  }
  programs::write_replacements(replacements, kernels, judged.device.emulated);
  programs::Verification verification = programs::verify(request);
  if (::isatty(STDERR_FILENO) == 1) tell << "\r\033[K" << std::flush;
  return verification;
}

void Verify::keep(const JudgedKernels& judged, const programs::Verification& verification,
                  programs::KeptVerification& kept) const {
  kept.program = fs::path(command_.front()).filename().string();
  kept.device = judged.device.name;
  kept.date = utc_to_the_second();
  kept.measure = comparison_.metric.empty() ? "wall clock" : comparison_.metric;
  kept.in_graphs = verification.in_graphs;
  kept.speedup = verification.speedup;
  std::vector<programs::KernelToReplace> right;
  for (std::size_t i = 0; i < verification.kernels.size(); ++i) {
    const programs::VerifiedKernel& kernel = verification.kernels[i];
    const JudgedKernel& from = judged.kernels[i];
    kept.kernels.push_back({.folder = kernel.name,
                            .sha256 = from.sha256,
                            .alone = from.alone,
                            .verdict = kernel.verdict,
                            .why = kernel.why,
                            .seen = kernel.launches.seen(),
                            .replaced = kernel.launches.replaced(),
                            .checked = kernel.launches.checked});
    if (kernel.verdict != programs::KernelVerdict::right) continue;
    right.push_back(from.kernel);
    kept.replaces_products = kept.replaces_products || from.kernel.extracted.product.has_value();
  }
  // Nothing that lay there before stays.
  const fs::path folder = programs::verified_folder(cases_);
  std::error_code failed;
  fs::remove_all(folder, failed);
  make_folders(folder);
  write_file_atomically(folder / ".gitignore", "# Code for this machine's GPU.\n*\n");
  programs::write_replacements(folder, right, judged.device.emulated);
  kept.digest = programs::digest_of_replacements(folder);
  programs::write_verification(cases_, kept);
}

[[nodiscard]] std::string speedup_text(const programs::ProgramSpeedup& speedup,
                                       const std::string& unit) {
  using Conclusion = programs::ProgramSpeedup::Conclusion;
  std::string figures = fmt::format(
      "{:.3f}x (99 % interval {:.3f} to {:.3f}), {} pairs of runs, {:.4g}{} without, {:.4g}{} with",
      speedup.ratio, speedup.low, speedup.high, speedup.pairs, speedup.original, unit,
      speedup.replaced, unit);
  switch (speedup.conclusion) {
    case Conclusion::faster:
      return "faster: " + figures;
    case Conclusion::slower:
      return "slower: " + figures;
    case Conclusion::no_difference:
      return "no difference to be seen: " + figures;
    case Conclusion::unclear:
      return "unclear: " + figures + "; more pairs would tell, or longer runs (--pairs, --minutes)";
  }
  return figures;
}

// What the kernels gain alone does not show in the program.
[[nodiscard]] bool does_not_survive(const programs::KeptVerification& kept) {
  constexpr double kGain = 1.01;
  using Conclusion = programs::ProgramSpeedup::Conclusion;
  if (!kept.speedup || kept.speedup->conclusion == Conclusion::faster ||
      kept.speedup->conclusion == Conclusion::unclear) {
    return false;
  }
  for (const programs::KeptKernel& kernel : kept.right()) {
    if (kernel.alone > kGain) return true;
  }
  return false;
}

void tell_result(const programs::KeptVerification& kept, const programs::Verification& from,
                 std::ostream& out) {
  for (const programs::VerifiedKernel& kernel : from.kernels) {
    out << fmt::format("  {}: {}{}\n             {}; results of {} compared\n", kernel.name,
                       spelling(kernel.verdict),
                       kernel.why.empty() ? "" : ": " + visible_line(kernel.why),
                       launches_text(kernel.launches), kernel.launches.checked);
  }
  for (const auto& [what, why] : {std::pair{"graphs       ", from.why_no_graphs},
                                  std::pair{"not compared ", from.why_not_compared},
                                  std::pair{"its course   ", from.why_no_speedup}}) {
    if (!why.empty()) out << what << visible_line(why) << '\n';
  }
  if (!kept.speedup) {
    out << "the program  runs as it is: no kernel was right in it\n";
    return;
  }
  out << "the program  " << speedup_text(*kept.speedup, kept.measure == "wall clock" ? " s" : "")
      << '\n';
  if (does_not_survive(kept)) {
    out << "             what the kernels gain alone does not show in the program: it may wait for "
           "something else, or they take more from what runs beside them\n";
  }
}

// What `apply` no longer puts into programs.
void tell_dropped(const programs::KeptVerification& before, const programs::KeptVerification& now,
                  std::ostream& out) {
  const std::vector<programs::KeptKernel> right = now.right();
  for (const programs::KeptKernel& kernel : before.right()) {
    const bool is_kept =
        std::ranges::any_of(right, [&](const auto& each) { return each.folder == kernel.folder; });
    if (!is_kept) {
      out << fmt::format("note         {} was kept before and is no longer\n",
                         visible_line(kernel.folder));
    }
  }
}

int Verify::run(const Console& console) {
  check();
  std::ostream& tell = json_ ? console.err : console.out;
  tell << "kernels, each in its case\n";
  const JudgedKernels judged = judged_kernels(cases_, names_, driver::parse_device(device_), tell);
  if (judged.kernels.empty()) {
    // Nor is what was kept before right any more.
    programs::KeptVerification none;
    keep(judged, {}, none);
    console.err << "autokernel: nothing to verify: no kernel can be put into the program\n";
    return kWrong;
  }
  const auto before = programs::read_verification(cases_);
  const ScratchDirectory scratch;
  const programs::Verification verification = verified(judged, scratch.path(), console.err);
  programs::KeptVerification kept;
  keep(judged, verification, kept);
  if (json_) {
    console.out << programs::verification_json(kept);
  } else {
    tell << fmt::format("in the program, {} runs\n", verification.runs);
    tell_result(kept, verification, tell);
    if (!comparison_.same_output && comparison_.check_command.empty()) {
      tell << "note         only its exit code says whether the program as a whole was right: "
              "--same-output or --check would know more\n";
    }
    if (before) tell_dropped(*before, kept, tell);
  }
  const auto is_out = [](const programs::VerifiedKernel& kernel) {
    return kernel.verdict != programs::KernelVerdict::right;
  };
  if (judged.refused > 0 || std::ranges::any_of(verification.kernels, is_out) || !kept.speedup) {
    return kWrong;
  }
  return kept.speedup->conclusion == programs::ProgramSpeedup::Conclusion::slower ? kSlower : 0;
}

}  // namespace

std::unique_ptr<Command> verify_command() { return std::make_unique<Verify>(); }

}  // namespace autokernel::cli
