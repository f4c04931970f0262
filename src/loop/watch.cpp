#include "autokernel/loop/watch.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>

#include <chrono>
#include <ctime>
#include <optional>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/owned.h"
#include "loop/anticipation.h"
#include "loop/editable_set.h"
#include "loop/measurer.h"
#include "loop/run_record.h"
#include "loop/workspace.h"

namespace autokernel::loop {
namespace {

using Clock = std::chrono::steady_clock;
// Between two looks at the files. An editor that saves in two writes has done it in less.
constexpr std::chrono::milliseconds kBetweenLooks{100};

[[nodiscard]] std::string idea_of_a_save() {
  return fmt::format("saved at {:%H:%M:%S}", fmt::localtime(std::time(nullptr)));
}

class Watch {
 public:
  Watch(Loop& loop, const Workspace& workspace, RunRecord& record, Measurer& measurer,
        const WatchOptions& options, const WatchObserver& observer)
      : loop_(loop),
        workspace_(workspace),
        record_(record),
        measurer_(measurer),
        options_(options),
        observer_(observer) {}

  Watched run() {
    const Owned<Measurer*> listening = measurer_.finishing_a_step(watched_.signal);
    // What lies there already was saved as well.
    bool is_new = !EditableSet(status().run).matches(workspace_.repository(), status().best.commit);
    while (watched_.signal == 0 && status().why_stop().empty()) {
      if (is_new || wait_for_edit()) step();
      is_new = false;
    }
    watched_.why = watched_.signal != 0 ? "interrupted" : status().why_stop();
    return watched_;
  }

 private:
  [[nodiscard]] const Status& status() { return record_.status(); }

  // False where a signal has come.
  [[nodiscard]] bool wait_for_edit() {
    Anticipation ahead(workspace_, measurer_, status());
    const auto begun = Clock::now();
    while (!ahead.look()) {
      pollfd watched{interrupts_.descriptor(), POLLIN, 0};
      ::poll(&watched, 1, static_cast<int>(kBetweenLooks.count()));
      if (const auto signal = interrupts_.next()) {
        watched_.signal = *signal;
        return false;
      }
      if (observer_.waits) observer_.waits(Clock::now() - begun);
    }
    return true;
  }

  void step() {
    const ledger::RunStarted& run = status().run;
    if (workspace_.repository().head().branch != run.branch) {
      throw Error(Stop::repository,
                  fmt::format("{} is no longer checked out: switch back to it, and watch again",
                              run.branch));
    }
    const EditableSet editable(run);
    // An editor may take it away for a moment, and a step puts it back.
    if (std::string fault = editable.fault(workspace_.folders().root()); !fault.empty()) {
      return refuse(fault);
    }
    if (editable.matches(workspace_.repository(), status().best.commit)) return;
    try {
      const Step made =
          loop_.step({.idea = options_.idea.empty() ? idea_of_a_save() : options_.idea,
                      .simpler = options_.simpler});
      ++watched_.experiments;
      if (observer_.stepped) observer_.stepped(made);
    } catch (const Error& error) {
      // The next save may put it right; what the machine lacks, it will not.
      if (error.stop() != Stop::usage && error.stop() != Stop::scope) throw;
      refuse(error.what());
    }
  }
  void refuse(const std::string& why) const {
    if (observer_.refused) observer_.refused(why);
  }

  Loop& loop_;
  const Workspace& workspace_;
  RunRecord& record_;
  Measurer& measurer_;
  const WatchOptions& options_;
  const WatchObserver& observer_;
  const Interrupts interrupts_;
  Watched watched_;
};

}  // namespace

Watched Loop::watch(const WatchOptions& options, const WatchObserver& observer) {
  return Watch(*this, *workspace_, *record_, *measurer_, options, observer).run();
}

}  // namespace autokernel::loop
