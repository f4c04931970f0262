// `autokernel resident`, which no user calls: the process that keeps runners ready.
#include "autokernel/trial/resident.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "autokernel/base/error.h"
#include "autokernel/base/local_socket.h"
#include "cli/commands.h"

namespace autokernel::cli {
namespace {

class ResidentCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "resident"; }
  [[nodiscard]] std::string summary() const override { return {}; }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;
};

}  // namespace

void ResidentCommand::declare(Options /*options*/) {}

int ResidentCommand::run(const Console& /*console*/) {
  if (!peer_of(Descriptor(::dup(STDIN_FILENO)))) {
    throw Error(Stop::usage,
                "'autokernel resident' is started by autokernel itself; use 'autokernel bench'");
  }
  // Started as /proc/self/exe, it would otherwise be listed as "exe".
  ::prctl(PR_SET_NAME, "autokernel-res");
  return trial::run_resident(Descriptor(STDIN_FILENO));
}

std::unique_ptr<Command> resident_command() { return std::make_unique<ResidentCommand>(); }

}  // namespace autokernel::cli
