#include "cli/loop/group.h"

#include "autokernel/base/error.h"
#include "cli/exit_codes.h"
#include "cli/loop/finish.h"
#include "cli/loop/run.h"
#include "cli/loop/start.h"
#include "cli/loop/status.h"
#include "cli/loop/step.h"

namespace autokernel::cli {
namespace {

constexpr const char* kLoopExamples = R"(Examples:
  autokernel loop start tiles                     a branch autokernel/tiles, and its baseline
  autokernel loop step -m "64 x 64 tiles"         try kernels/kernel.cu as it is now
  autokernel loop status                          where the run stands, and what to do next
  autokernel loop finish                          measure the gain again; a branch to merge

)";

}  // namespace

LoopGroup::LoopGroup() {
  commands_.push_back(std::make_unique<LoopStart>());
  commands_.push_back(std::make_unique<LoopStep>());
  commands_.push_back(std::make_unique<LoopRun>());
  commands_.push_back(std::make_unique<LoopStatus>());
  commands_.push_back(std::make_unique<LoopFinish>());
}

void LoopGroup::declare(Options options) {
  options.footer(kLoopExamples + exit_codes_text());
  options.require_command();
  options_ = options;
  for (const auto& command : commands_) {
    command->declare(options.add_command(command->name(), command->summary()));
  }
}

int LoopGroup::run(const Console& console) {
  for (const auto& command : commands_) {
    if (options_.chose(command->name())) return command->run(console);
  }
  return static_cast<int>(Stop::usage);
}

}  // namespace autokernel::cli
