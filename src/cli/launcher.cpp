// `autokernel launcher`, which no user calls: the child of a runner in which the candidate's code
// runs.
#include "autokernel/trial/launcher.h"

#include <sys/prctl.h>
#include <unistd.h>

#include "autokernel/base/process.h"
#include "cli/commands.h"
#include "cli/parent_channel.h"

namespace autokernel::cli {
namespace {

class Launcher : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "launcher"; }
  [[nodiscard]] std::string summary() const override { return {}; }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;
};

}  // namespace

void Launcher::declare(Options /*options*/) {}

int Launcher::run(const Console& /*console*/) {
  Descriptor reports = parent_channel("launcher", "bench");
  // Started as /proc/self/exe, it would otherwise be listed as "exe".
  ::prctl(PR_SET_NAME, "autokernel-launch");
  leave(trial::run_launcher({.orders = Descriptor(STDIN_FILENO),
                             .reports = std::move(reports),
                             .outbox = Descriptor(kSharedDescriptor)}));
}

std::unique_ptr<Command> launcher_command() { return std::make_unique<Launcher>(); }

}  // namespace autokernel::cli
