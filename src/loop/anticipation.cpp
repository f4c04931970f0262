#include "loop/anticipation.h"

#include <system_error>
#include <utility>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/trial/command.h"
#include "loop/editable_set.h"
#include "loop/scope.h"

namespace autokernel::loop {

Anticipation::Anticipation(const Workspace& workspace, const Measurer& measurer,
                           const Status& status)
    : workspace_(workspace), run_(status.run), seen_(versions()) {
  if (!measurer.may_be_ready() || trial::resident_seconds() == 0) return;
  trial::Request request =
      measurer.request(run_, unchanged_case(workspace.repository(), run_), status.best.commit);
  // Commands have nothing to get ready.
  if (trial::is_of_command(request)) return;
  request.incumbent = measurer.incumbent(run_, status.best);
  trial::get_runner_ready(request);
  request_ = std::move(request);
}

bool Anticipation::look() {
  Versions now = versions();
  if (now != seen_) {
    seen_ = std::move(now);
    is_settled_ = false;
    return false;
  }
  if (std::exchange(is_settled_, true)) return false;
  if (request_) compile(*request_);
  return true;
}

Anticipation::Versions Anticipation::versions() const {
  const std::filesystem::path& root = workspace_.folders().root();
  Versions found;
  try {
    for (const std::string& path : EditableSet(run_).in_worktree(root)) {
      std::error_code gone;
      const auto time = std::filesystem::last_write_time(root / path, gone);
      if (!gone) found.emplace(root / path, time);
    }
  } catch (const Error&) {
    found.clear();  // there is too much to look through, which the step will say
  }
  return found;
}

void Anticipation::compile(trial::Request& request) const noexcept {
  try {
    const std::filesystem::path& root = workspace_.folders().root();
    const EditableSet editable(run_);
    // What a step would refuse is not even read.
    if (!editable.fault(root).empty()) return;
    cases::KernelSource kernel = editable.source_in(root);
    request.source = std::move(kernel.text);
    request.files = std::move(kernel.files);
    // Whatever is started while an agent works ends with its turn.
    trial::get_runner_ready(request, trial::Starting::forbidden);
  } catch (const std::exception&) {
    return;  // it is a convenience; the step says what is wrong
  }
}

}  // namespace autokernel::loop
