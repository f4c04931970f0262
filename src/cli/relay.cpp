// `autokernel relay`, which no user calls: the supervisor of trials that another machine asks for
// (trial/supervise/elsewhere.h), on standard input and output.
#include "autokernel/trial/relay.h"

#include "cli/commands.h"

namespace autokernel::cli {
namespace {

class Relay : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "relay"; }
  [[nodiscard]] std::string summary() const override { return {}; }
  void declare(Options /*options*/) override {}
  [[nodiscard]] int run(const Console& /*console*/) override { return trial::run_relay(); }
};

}  // namespace

std::unique_ptr<Command> relay_command() { return std::make_unique<Relay>(); }

}  // namespace autokernel::cli
