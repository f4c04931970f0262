#include "loop/run_checks.h"

#include <fmt/format.h>

#include "autokernel/base/error.h"
#include "autokernel/driver/device_choice.h"
#include "autokernel/trial/known_places.h"
#include "loop/git_rules.h"
#include "loop/names.h"
#include "loop/scope.h"
#include "loop/tampering.h"

namespace autokernel::loop {
namespace {

// The branch must be where the last experiment left it: a commit of anybody else's has no
// experiment, and nothing is compared with it.
void require_own_head(const repo::Repository& repository, const Status& status) {
  const repo::Head head = repository.head();
  if (head.commit == status.best.commit) return;
  throw Error(
      Stop::repository,
      fmt::format("{} is at {}, not at {}, the best so far: something else moved it. 'git reset "
                  "--soft {}' moves it back and leaves every file as it is",
                  head.branch, short_id(head.commit), name_of(status.best), status.best.commit));
}

}  // namespace

void require_sound(const Workspace& workspace, RunRecord& record, const Measurer& measurer) {
  const Status& status = record.status();
  require_own_head(workspace.repository(), status);
  measurer.hidden_sizes().require(status.run.hidden_sizes);
  require_same_rules(workspace.repository(), status.run);
  require_nothing_strayed(status);
  require_untampered(workspace, record, measurer.harness(), Extent::end);
}

void require_known_device(const ledger::RunStarted& run) {
  trial::require_known_place(driver::parse_device(run.device).place, run.device);
}

}  // namespace autokernel::loop
