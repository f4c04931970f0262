// `autokernel agent-process`, which no user calls: one of the agents of `loop run --parallel`, with
// the measurement of what it edits.
#include "autokernel/base/process.h"
#include "autokernel/loop/parallel.h"
#include "cli/commands.h"
#include "cli/loop/open_run.h"
#include "cli/parent_channel.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

class AgentProcess : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "agent-process"; }
  [[nodiscard]] std::string summary() const override { return {}; }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  HiddenSizesOption hidden_sizes_;
  TimeoutOption timeout_;
  std::string agent_;
  double agent_seconds_ = 0;
  int number_ = 1;
  std::string device_;
  bool simpler_ = false;
  bool no_resident_ = false;
};

}  // namespace

void AgentProcess::declare(Options options) {
  options.add_option("--agent", agent_).required();
  options.add_option("--agent-timeout", agent_seconds_);
  options.add_option("--number", number_);
  options.add_option("--device", device_);
  options.add_flag("--simpler", simpler_, "");
  hidden_sizes_.declare(options);
  timeout_.declare(options);
  add_no_resident(options, no_resident_);
}

int AgentProcess::run(const Console& console) {
  const Descriptor channel = parent_channel(name(), "loop run --parallel");
  Watching watching(console, Diagnostics::Level::quiet, timeout_.limits());
  loop::LoopContext context = watching.context();
  context.hidden_sizes = hidden_sizes_.file;
  context.runner.may_be_ready = !no_resident_;
  return loop::run_agent_process({.agent = agent_,
                                  .agent_seconds = agent_seconds_,
                                  .simpler = simpler_,
                                  .number = static_cast<std::size_t>(number_),
                                  .device = trial::parse_device(device_)},
                                 std::move(context), channel.get());
}

std::unique_ptr<Command> agent_process_command() { return std::make_unique<AgentProcess>(); }

}  // namespace autokernel::cli
