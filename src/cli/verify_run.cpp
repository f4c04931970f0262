#include "cli/verify_run.h"

#include <filesystem>

#include "autokernel/loop/verification.h"
#include "cli/shared_options.h"
#include "cli/verification_text.h"

namespace autokernel::cli {
namespace {

constexpr const char* kVerifyRunExamples = R"(Examples:
  autokernel verify-run
  autokernel verify-run tiles --processes 9
  autokernel verify-run --json | jq .verdict

The ledger is read whole, and compared with its seal, results.tsv, the references and the branch in git.
Then baseline, best and library are measured again in fresh processes on new inputs, from what git holds: the
kernels from their commits, the case as it was when the run was started. Nothing is written.
Exit codes: 0 it holds, 10 measured again it is not faster or not as much, 16 inconclusive, 11 to 14 the best
fails, 15 the record is not as it was written (named; measured all the same); 4 there is no such run.)";

}  // namespace

void VerifyRun::declare(Options options) {
  options.footer(kVerifyRunExamples);
  options.add_option("TAG", tag_, "Name of the run (default: the one on this branch)");
  add_processes(options, processes_);
  options.add_flag("--json", json_, "Print one JSON object instead of lines (docs/loop-json.md)");
  timeout_.declare(options);
  options.add_flag("-v,--verbose", verbose_, "Say on standard error what is being done");
}

int VerifyRun::run(const Console& console) {
  Watching watching(console, verbose_ ? Diagnostics::Level::verbose : Diagnostics::Level::quiet,
                    timeout_.limits());
  auto loop = loop::Loop::open_to_verify(std::filesystem::current_path(), "autokernel verify-run",
                                         watching.surroundings());
  const loop::Verification verification = loop.verify(tag_, processes_);
  console.out << (json_ ? verification_json(verification) : verification_text(verification));
  return exit_code(verification);
}

}  // namespace autokernel::cli
