// `autokernel loop`: the commands of the experiment loop below one name.
#include <memory>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"

namespace autokernel::cli {
namespace {

class LoopGroup : public Command {
 public:
  LoopGroup();
  [[nodiscard]] std::string name() const override { return "loop"; }
  [[nodiscard]] std::string summary() const override {
    return "Run experiments: keep what is faster, revert the rest";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::vector<std::unique_ptr<Command>> commands_;
  Options options_;  // this command's, from declare on
};

constexpr const char* kLoopExamples = R"(Examples:
  autokernel loop start tiles                     a branch autokernel/tiles, and its baseline
  autokernel loop step -m "64 x 64 tiles"         try kernels/kernel.cu as it is now
  autokernel loop status                          where the run stands, and what to do next
  autokernel loop finish                          measure the gain again; a branch to merge

)";

}  // namespace

LoopGroup::LoopGroup() {
#define COMMAND(name) commands_.push_back(name##_command());
#include "cli/loop/commands.def"
#undef COMMAND
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

std::unique_ptr<Command> loop_command() { return std::make_unique<LoopGroup>(); }

}  // namespace autokernel::cli
