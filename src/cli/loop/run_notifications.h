// Who is told what a run does, while a command of the loop is at it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "autokernel/loop/loop.h"
#include "autokernel/notify/notifier.h"
#include "cli/command.h"
#include "cli/loop/open_run.h"

namespace autokernel::cli {

class RunNotifications {
 public:
  // For the repository that holds the current folder. To be made while there is one thread: the
  // variables that configure it are gone afterwards.
  RunNotifications(const Console& console, bool no_notify);

  // What a record has of it, before anybody was told.
  [[nodiscard]] ledger::Webhook forecast(loop::Told told) const;
  // Tells of a step, with where the run stands afterwards: of what was kept, and of a plateau.
  void stepped(const loop::Step& step, const loop::Status& status);
  // Of a run that cannot go on, in a sentence.
  void failed(const loop::Status& status, const std::string& why);
  // Of the end, with a plot of the run.
  void finished(const loop::Finish& finish);
  // Waits for what is pending, a few seconds at most; after a signal not at all.
  void settle(bool at_once = false);

 private:
  std::filesystem::path root_;  // of the repository
  notify::Notifier notifier_;
  std::optional<bool> was_plateau_;
};

// What a command opens its loop with that decides what is kept. `watching` and `notifications` must
// outlive the loop. `may_be_ready`: whether a runner may be one that waits (trial/resident.h).
[[nodiscard]] loop::LoopContext deciding_context(Watching& watching,
                                                 const RunNotifications& notifications,
                                                 const HiddenSizesOption& hidden_sizes,
                                                 bool may_be_ready);

}  // namespace autokernel::cli
