#include "api/pending_launch.h"

#include <optional>
#include <utility>

#include "api/launch_chain.h"
#include "runtime/host_pointer.h"

namespace emulator::api {
namespace {

CUresult result_of(runtime::FaultKind kind) {
  switch (kind) {
    case runtime::FaultKind::out_of_bounds:
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case runtime::FaultKind::misaligned:
      return CUDA_ERROR_MISALIGNED_ADDRESS;
    case runtime::FaultKind::assertion:
      return CUDA_ERROR_ASSERT;
    case runtime::FaultKind::bad_instruction:
    case runtime::FaultKind::bad_call:
      return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case runtime::FaultKind::trap:
    case runtime::FaultKind::barrier:
    case runtime::FaultKind::stack:
      break;
  }
  return CUDA_ERROR_LAUNCH_FAILED;
}

// Makes `launch`, of what was prepared, ready to begin: it reaches what `addresses` has.
void make_ready(Context& context, const PreparedLaunch& prepared,
                const runtime::AddressMap& addresses, runtime::Launch& launch) {
  // Each launch has the printf buffer to itself, as in CUDA, where a launch empties it first.
  context.flush_prints();
  launch.addresses = &addresses;
  launch.prints = &context.prints;
  launch.heap = context.heap();
  launch.lines = &prepared.kernel->names();
  launch.order = context.engine().order();
  if (launch.grid_workspace != 0) {
    *runtime::host_pointer<GridWorkspace>(launch.grid_workspace) = {sizeof(GridWorkspace), 0};
  }
}

void report(Context& context, const PreparedLaunch& prepared,
            const std::optional<runtime::Fault>& fault) {
  if (!fault) return;
  const Kernel& kernel = *prepared.kernel;
  context.fail(result_of(fault->kind),
               std::make_unique<FaultRecord>(*fault, kernel.names(), kernel.layout().shared));
}

// What the launch is recorded as having been asked for.
LaunchCall call_for(const Stream& stream) {
  ActivityRecord* const record = ActivityRecord::get();
  return record == nullptr ? LaunchCall{} : record->kernel_call(stream.id());
}

void record(const PreparedLaunch& prepared, const runtime::Launch& launch, const LaunchCall& call,
            std::int64_t start) {
  ActivityRecord* const record = ActivityRecord::get();
  if (record == nullptr) return;
  record->kernel(*prepared.kernel, launch, call, start, record_time());
}

void run_alone(Context& context, PreparedLaunch& prepared, const LaunchCall& call) {
  const std::shared_ptr<const runtime::AddressMap> addresses = context.memory.snapshot();
  make_ready(context, prepared, *addresses, prepared.launch);
  const std::int64_t start = record_time();
  const std::optional<runtime::Fault> fault = context.engine().run(prepared.launch);
  record(prepared, prepared.launch, call, start);
  report(context, prepared, fault);
}

}  // namespace

PendingLaunch::PendingLaunch(Context& context, std::shared_ptr<PreparedLaunch> prepared,
                             const LaunchCall& call)
    : context_(context), prepared_(std::move(prepared)), call_(call) {}

void PendingLaunch::extend_to(Ticket ticket) {
  if (last_ == 0 || last_ + 1 == ticket) last_ = ticket;
}

void PendingLaunch::offer(const std::shared_ptr<PendingLaunch>& next, Ticket ticket) {
  if (last_ + 1 != ticket || state_.load() != State::open) return;
  next_ = next;
  // It may have been closed just now: then nobody looks at `next_`.
  State open = State::open;
  state_.compare_exchange_strong(open, State::joined);
}

bool PendingLaunch::is_open() const {
  // In this order: it may be extended at any time.
  const Ticket submitted = context_.executor().last();
  return last_ >= submitted && state_.load() == State::open;
}

void PendingLaunch::close() {
  State open = State::open;
  state_.compare_exchange_strong(open, State::closed);
}

std::shared_ptr<PendingLaunch> PendingLaunch::next() const {
  return state_.load() == State::joined ? next_ : nullptr;
}

void PendingLaunch::run() {
  if (begun_) return;
  if (!prepared_->kernel->launches_dependents()) return run_alone(context_, *prepared_, call_);
  LaunchChain chain(context_, shared_from_this());
  context_.engine().run(chain);
}

const runtime::Launch& PendingLaunch::begin() {
  begun_ = true;
  addresses_ = context_.memory.snapshot();
  launch_ = prepared_->launch;
  make_ready(context_, *prepared_, *addresses_, launch_);
  start_ = record_time();
  return launch_;
}

void PendingLaunch::end(const std::optional<runtime::Fault>& fault) const {
  record(*prepared_, launch_, call_, start_);
  report(context_, *prepared_, fault);
}

void submit(Context& context, Stream& stream, const std::shared_ptr<PreparedLaunch>& prepared) {
  const LaunchCall call = call_for(stream);
  const bool may_be_joined = prepared->kernel->launches_dependents();
  if (!may_be_joined && !prepared->joins) {
    context.submit(stream, [&context, prepared, call] { run_alone(context, *prepared, call); });
    return;
  }
  const auto pending = std::make_shared<PendingLaunch>(context, prepared, call);
  if (!may_be_joined) pending->close();
  std::shared_ptr<PendingLaunch> before;
  const auto join = [&](Ticket ticket) {
    pending->extend_to(ticket);
    before = stream.joinable();
    if (prepared->joins && before != nullptr) before->offer(pending, ticket);
    stream.set_joinable(pending);
  };
  context.submit(stream, [pending] { pending->run(); }, join);
}

void record_with_launch(Context& context, Stream& stream, const std::shared_ptr<Event>& event) {
  std::shared_ptr<PendingLaunch> launch;
  const auto extend = [&](Ticket ticket) {
    launch = stream.joinable();
    if (launch != nullptr) launch->extend_to(ticket);
  };
  (void)context.record(event, extend);
}

}  // namespace emulator::api
