#include "cli/launcher.h"

#include <sys/prctl.h>
#include <unistd.h>

#include "autokernel/base/process.h"
#include "autokernel/trial/launcher.h"
#include "cli/parent_channel.h"

namespace autokernel::cli {

void Launcher::declare(Options /*options*/) {}

int Launcher::run(const Console& /*console*/) {
  Descriptor reports = parent_channel("launcher", "bench");
  // Started as /proc/self/exe, it would otherwise be listed as "exe".
  ::prctl(PR_SET_NAME, "autokernel-launch");
  leave(trial::run_launcher({.orders = Descriptor(STDIN_FILENO),
                             .reports = std::move(reports),
                             .outbox = Descriptor(kSharedDescriptor)}));
}

}  // namespace autokernel::cli
