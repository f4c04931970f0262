#include "cli/notifications.h"

#include "autokernel/base/environment.h"
#include "autokernel/notify/secret_variables.h"

namespace autokernel::cli {

void add_no_notify(Options options, bool& no_notify) {
  options.add_flag("--no-notify", no_notify,
                   "Send no notifications, whatever is configured (docs/notifications.md)");
}

notify::Notifier open_notifier(const std::filesystem::path& repository, bool no_notify) {
  notify::Notifier notifier = notify::Notifier::open(
      {.variables = own_variables(), .repository = repository},
      no_notify ? notify::Flag::no_notify : notify::Flag::not_given,
      {.program = "/proc/self/exe", .arguments = {"notify-sender"}, .environment = {}});
  notify::forget_notify_variables();
  return notifier;
}

}  // namespace autokernel::cli
