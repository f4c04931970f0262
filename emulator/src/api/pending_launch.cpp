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

void run_alone(Context& context, PreparedLaunch& prepared) {
  const std::shared_ptr<const runtime::AddressMap> addresses = context.memory.snapshot();
  make_ready(context, prepared, *addresses, prepared.launch);
  report(context, prepared, context.engine().run(prepared.launch));
}

}  // namespace

PendingLaunch::PendingLaunch(std::shared_ptr<PreparedLaunch> prepared)
    : prepared_(std::move(prepared)) {}

void PendingLaunch::wait_for_legacy(const Stream& legacy) {
  legacy_ = &legacy;
  legacy_operations_ = legacy.operations();
}

bool PendingLaunch::is_open() const {
  return state_.load() == State::open &&
         (legacy_ == nullptr || legacy_->operations() == legacy_operations_);
}

void PendingLaunch::be_joined_by(std::shared_ptr<PendingLaunch> next) {
  next_ = std::move(next);
  state_.store(State::joined);
}

void PendingLaunch::close() {
  State open = State::open;
  state_.compare_exchange_strong(open, State::closed);
}

std::shared_ptr<PendingLaunch> PendingLaunch::next() const {
  return state_.load() == State::joined ? next_ : nullptr;
}

void PendingLaunch::run(Context& context) {
  if (begun_) return;
  if (!prepared_->kernel->launches_dependents()) return run_alone(context, *prepared_);
  LaunchChain chain(context, shared_from_this());
  context.engine().run(chain);
}

const runtime::Launch& PendingLaunch::begin(Context& context) {
  begun_ = true;
  addresses_ = context.memory.snapshot();
  launch_ = prepared_->launch;
  make_ready(context, *prepared_, *addresses_, launch_);
  return launch_;
}

void PendingLaunch::end(Context& context, const std::optional<runtime::Fault>& fault) const {
  report(context, *prepared_, fault);
}

void submit(Context& context, Stream& stream, const std::shared_ptr<PreparedLaunch>& prepared) {
  const bool may_be_joined = prepared->kernel->launches_dependents();
  if (!may_be_joined && !prepared->joins) {
    context.submit(stream, [&context, prepared] { run_alone(context, *prepared); });
    return;
  }
  const auto pending = std::make_shared<PendingLaunch>(prepared);
  if (!may_be_joined) pending->close();
  const bool blocking = (stream.flags() & CU_STREAM_NON_BLOCKING) == 0;
  if (blocking && !context.is_legacy(stream)) pending->wait_for_legacy(context.legacy_stream());
  const std::shared_ptr<PendingLaunch> before = prepared->joins ? stream.joinable() : nullptr;
  if (before != nullptr && before->is_open()) before->be_joined_by(pending);
  context.submit(stream, [&context, pending] { pending->run(context); });
  if (may_be_joined) stream.set_joinable(pending);
}

}  // namespace emulator::api
