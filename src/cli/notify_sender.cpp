// `autokernel notify-sender`, which no user calls: the process that sends notifications.
#include <sys/prctl.h>
#include <unistd.h>

#include "autokernel/base/error.h"
#include "autokernel/base/local_socket.h"
#include "autokernel/notify/sender.h"
#include "cli/commands.h"

namespace autokernel::cli {
namespace {

class NotifySenderCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "notify-sender"; }
  [[nodiscard]] std::string summary() const override { return {}; }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;
};

}  // namespace

void NotifySenderCommand::declare(Options /*options*/) {}

int NotifySenderCommand::run(const Console& /*console*/) {
  if (!peer_of(Descriptor(::dup(STDIN_FILENO)))) {
    throw Error(Stop::usage,
                "'autokernel notify-sender' is started by autokernel itself; use 'autokernel "
                "notify'");
  }
  // Started as /proc/self/exe, it would otherwise be listed as "exe".
  ::prctl(PR_SET_NAME, "autokernel-not");
  return notify::send_from(Descriptor(STDIN_FILENO));
}

std::unique_ptr<Command> notify_sender_command() { return std::make_unique<NotifySenderCommand>(); }

}  // namespace autokernel::cli
