#include "cli/loop/run_notifications.h"

#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cases/command.h"
#include "autokernel/plot/plot.h"
#include "cli/loop/run_events.h"
#include "cli/notifications.h"
#include "cli/plot/history.h"

namespace autokernel::cli {

namespace {

[[nodiscard]] std::optional<notify::EventKind> event_kind_of(loop::Told told) {
  switch (told) {
    case loop::Told::nothing:
      return {};
    case loop::Told::kept:
      return notify::EventKind::kept;
    case loop::Told::finish:
      return notify::EventKind::finish;
  }
  return {};
}

// The experiments of the run, drawn for whoever is told; without gnuplot a picture that somebody
// drew before, or none.
[[nodiscard]] std::filesystem::path drawn_plot(const std::filesystem::path& root,
                                               const std::string& tag) {
  std::filesystem::path plot =
      root / loop::Loop::webhooks_file(tag).replace_filename(cases::kPlots.front());
  try {
    std::ostringstream ignored;
    const plot::History history = read_history(root / cases::kResults, plot::Scale::pairs, ignored);
    write_file_atomically(plot, plot::draw(history, plot::Format::png, plot::find_gnuplot()),
                          Sync::no);
    return plot;
  } catch (const Error&) {
    plot = root / cases::kPlots.front();
  }
  std::error_code failed;
  return std::filesystem::exists(plot, failed) ? plot : std::filesystem::path();
}

}  // namespace

RunNotifications::RunNotifications(const Console& console, bool no_notify)
    : root_(notify::enclosing_repository(std::filesystem::current_path())),
      notifier_(open_notifier(root_, no_notify)) {
  if (!notifier_.remark().empty())
    console.err << "autokernel: " << visible_line(notifier_.remark()) << '\n';
}

ledger::Webhook RunNotifications::forecast(loop::Told told) const {
  return notify::recorded(notifier_.forecast(event_kind_of(told)));
}

void RunNotifications::stepped(const loop::Step& step, const loop::Status& status) {
  if (step.experiment.number > 0 && step.experiment.status == ledger::Status::keep)
    notifier_.post(kept_event(step, status, root_));
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
  const bool is_told = forecast(loop::Told::finish).webhook_expected;
  const std::filesystem::path plot =
      is_told ? drawn_plot(root_, finish.headline.tag) : std::filesystem::path();
  notifier_.post(finish_event(finish, plot, root_));
}

void RunNotifications::settle(bool at_once) {
  static_cast<void>(notifier_.settle(at_once ? std::chrono::milliseconds{0} : notify::kPatience));
}

loop::LoopContext deciding_context(Watching& watching, const RunNotifications& notifications,
                                   const HiddenSizesOption& hidden_sizes, bool may_be_ready) {
  loop::LoopContext context = watching.context();
  context.hidden_sizes = hidden_sizes.file;
  context.runner.may_be_ready = may_be_ready;
  context.webhook = [&notifications](loop::Told told) { return notifications.forecast(told); };
  return context;
}

}  // namespace autokernel::cli
