#include "cli/loop/run_notifications.h"

#include <chrono>
#include <filesystem>

#include "autokernel/base/visible_text.h"
#include "cli/loop/run_events.h"
#include "cli/notifications.h"

namespace autokernel::cli {

RunNotifications::RunNotifications(const Console& console, bool no_notify)
    : notifier_(
          open_notifier(notify::enclosing_repository(std::filesystem::current_path()), no_notify)) {
  if (!notifier_.remark().empty())
    console.err << "autokernel: " << visible_line(notifier_.remark()) << '\n';
}

ledger::Webhook RunNotifications::forecast(bool is_kept) const {
  const notify::WebhookRecord record =
      notifier_.forecast(is_kept ? std::optional(notify::EventKind::kept) : std::nullopt);
  return {.webhook_enabled_by_config = record.enabled_by_config,
          .webhook_disabled_by_flag = record.disabled_by_flag,
          .webhook_expected = record.expected,
          .webhook_attempted = record.attempted,
          .webhook_sent = record.sent,
          .webhook_status = record.status};
}

void RunNotifications::stepped(const loop::Step& step, const loop::Status& status) {
  if (step.experiment.number > 0 && step.experiment.status == ledger::Status::keep)
    notifier_.post(kept_event(step, status));
  const bool is_plateau = status.is_plateau();
  // A command that makes one step tells of a plateau when it is reached, not at each one later.
  const bool was = was_plateau_.value_or(is_plateau && status.streak > loop::kPlateau);
  if (is_plateau && !was) notifier_.post(plateau_event(status));
  was_plateau_ = is_plateau;
}

void RunNotifications::failed(const loop::Status& status, const std::string& why) {
  notifier_.post(failure_event(status, why));
}

void RunNotifications::finished(const loop::Finish& finish) {
  const std::filesystem::path root = notify::enclosing_repository(std::filesystem::current_path());
  std::error_code failed;
  const std::filesystem::path plot = root / "progress.png";
  notifier_.post(
      finish_event(finish, std::filesystem::exists(plot, failed) ? plot : std::filesystem::path()));
}

void RunNotifications::settle(bool at_once) {
  static_cast<void>(notifier_.settle(at_once ? std::chrono::milliseconds{0} : notify::kPatience));
}

}  // namespace autokernel::cli
