// `autokernel apply`: a program with the kernels that were verified in it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cases/case.h"
#include "autokernel/programs/verification.h"
#include "autokernel/programs/verification_file.h"
#include "cli/commands.h"
#include "cli/ending_text.h"
#include "cli/judged_kernels.h"
#include "cli/launches_text.h"
#include "cli/required_device.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  autokernel apply -- python infer.py
  autokernel apply --cases models/cases --quiet -- ./llama-cli -m model.gguf

Runs the program with the kernels that 'autokernel verify' has found right. A launch is replaced
where it equals one that the kernel was judged for: code, grid, block, numbers, layout and
alignment of its tensors. Any other is made as ever. What was replaced is told in the end
(docs/verify.md).

Exit code: that of the program; 128 + N where signal N ended it; 2 or 3 where it was not run.)";

class Apply : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "apply"; }
  [[nodiscard]] std::string summary() const override {
    return "Run a program with the kernels that were verified in it";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  void tell_doubts(const programs::KeptVerification& kept, std::ostream& out) const;

  std::vector<std::string> command_;
  std::string cases_ = "cases";
  std::string device_ = "auto";
  bool no_graphs_ = false;
  bool quiet_ = false;
};

void Apply::declare(Options options) {
  options.footer(kExamples);
  options.add_option("COMMAND", command_, "The program to run and its arguments, after --");
  options.add_option("--cases", cases_, "The folder with the program's cases [cases]")
      .type_name("DIR");
  add_device(options, device_);
  options.add_flag("--no-graphs", no_graphs_, "Replace nothing within CUDA graphs");
  options.add_flag("-q,--quiet", quiet_, "Do not tell what was replaced");
}

// What a user may not expect of what was verified.
void Apply::tell_doubts(const programs::KeptVerification& kept, std::ostream& out) const {
  using Conclusion = programs::ProgramSpeedup::Conclusion;
  if (kept.speedup && kept.speedup->conclusion == Conclusion::slower) {
    out << fmt::format("autokernel: with these kernels the program was slower, {:.3f}x\n",
                       kept.speedup->ratio);
  }
  for (const programs::KeptKernel& kernel : kept.right()) {
    try {
      const cases::Case problem = cases::load(std::filesystem::path(cases_) / kernel.folder);
      const cases::KernelSource source =
          cases::read_kernel(problem.kernel_file(), problem.editable_files, "the kernel");
      if (digest(source) == kernel.sha256) continue;
      out << fmt::format(
          "autokernel: {}: its kernel has changed since it was verified, and what was "
          "verified runs\n",
          visible_line(kernel.folder));
    } catch (const Error&) {
      continue;  // the case has gone, and is not needed
    }
  }
}

int Apply::run(const Console& console) {
  if (command_.empty()) {
    throw Error(Stop::usage,
                "apply needs a program: autokernel apply -- PROGRAM [ARGUMENTS]; see 'autokernel "
                "apply --help'");
  }
  require_device(driver::parse_device(device_));
  const auto kept = programs::read_verification(cases_);
  if (!kept || kept->right().empty()) {
    throw Error(
        Stop::usage,
        fmt::format("{} in {}: 'autokernel verify -- PROGRAM' puts kernels into a program "
                    "and keeps those that are right; --cases names another folder",
                    kept ? "no kernel was found right" : "no kernels were verified", cases_));
  }
  if (programs::digest_of_replacements(programs::verified_folder(cases_)) != kept->digest) {
    throw Error(Stop::usage,
                fmt::format("cannot use the kernels in {}: they are no longer what was verified; "
                            "verify them again",
                            programs::verified_folder(cases_).string()));
  }
  const std::vector<programs::KeptKernel> kernels = kept->right();
  if (!quiet_) tell_doubts(*kept, console.err);
  const programs::Application applied =
      programs::apply({.command = command_,
                       .device = driver::parse_device(device_),
                       .replacements = programs::verified_folder(cases_),
                       .kernels = kernels.size(),
                       .replaces_products = kept->replaces_products,
                       .in_graphs = kept->in_graphs && !no_graphs_});
  if (!quiet_) {
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      console.err << fmt::format("autokernel: {}: {}\n", visible_line(kernels[i].folder),
                                 launches_text(applied.launches.kernels[i]));
    }
  }
  return exit_code_of(applied.ending);
}

}  // namespace

std::unique_ptr<Command> apply_command() { return std::make_unique<Apply>(); }

}  // namespace autokernel::cli
