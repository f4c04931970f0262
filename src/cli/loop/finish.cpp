#include "cli/loop/finish.h"

#include <filesystem>

#include "autokernel/ledger/ledger.h"
#include "cli/loop/text.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

constexpr const char* kLoopFinishExamples = R"(Examples:
  autokernel loop finish
  autokernel loop finish --processes 9

Baseline, best and library are measured again, in turn, in fresh processes on new inputs, from what
is in git. The best of many measurements is partly luck: quote the gain measured here.)";

}  // namespace

void LoopFinish::declare(Options options) {
  options.footer(kLoopFinishExamples);
  remembered_.declare(options);
  add_processes(options, processes_);
  options.add_flag("--json", json_, "Print the result as a ledger entry (docs/ledger.md)");
  timeout_.declare(options);
  options.add_flag("-v,--verbose", verbose_, "Report progress on standard error");
}

int LoopFinish::run(const Console& console) {
  Watching watching(console, verbose_ ? Diagnostics::Level::verbose : Diagnostics::Level::quiet,
                    timeout_.limits());
  auto loop = loop::Loop::open(std::filesystem::current_path(), "autokernel loop finish",
                               watching.context());
  remembered_.require_same(loop.run());
  const loop::Finish finish = loop.finish(processes_);
  console.out << (json_ ? ledger::lines_of({finish.headline}) : finish_text(finish));
  return 0;
}

}  // namespace autokernel::cli
