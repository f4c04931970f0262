#include "autokernel/loop/loop.h"

#include <utility>

#include "loop/folders.h"
#include "loop/measurer.h"
#include "loop/run_record.h"
#include "loop/workspace.h"

namespace autokernel::loop {

Loop::Loop(const std::filesystem::path& here, LoopContext context)
    : workspace_(std::make_unique<Workspace>(here, context.say, context.reached)),
      record_(std::make_unique<RunRecord>(*workspace_)),
      measurer_(std::make_unique<Measurer>(*workspace_, std::move(context))) {}
Loop::Loop(Loop&&) noexcept = default;
Loop& Loop::operator=(Loop&&) noexcept = default;
Loop::~Loop() = default;

Loop Loop::open(const std::filesystem::path& here, const std::string& purpose,
                LoopContext context) {
  Loop loop(here, std::move(context));
  loop.workspace_->lock(purpose);
  return loop;
}

Loop Loop::open_to_read(const std::filesystem::path& here, LoopContext context) {
  // One of several agents looks at the run that it works for.
  Loop loop(Folders::of_run(here), std::move(context));
  loop.workspace_->look_in();
  return loop;
}

Loop Loop::open_to_verify(const std::filesystem::path& here, const std::string& purpose,
                          LoopContext context) {
  Loop loop(here, std::move(context));
  if (loop.workspace_->is_writable()) loop.workspace_->lock(purpose);
  return loop;
}

const ledger::RunStarted& Loop::run() const { return record_->status().run; }

const Status& Loop::status() const { return record_->look().status; }

}  // namespace autokernel::loop
