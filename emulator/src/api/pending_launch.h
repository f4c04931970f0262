// A launch that a stream has been given, until it has run: alone, or in a chain with those that
// join it (runtime/chain.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "api/activity_record.h"
#include "api/context.h"
#include "api/kernel_parameters.h"
#include "runtime/fault.h"
#include "runtime/launch.h"

namespace emulator::api {

// What has been compiled, and can be launched any number of times.
struct PreparedLaunch {
  std::shared_ptr<Kernel> kernel;
  std::shared_ptr<const jit::CompiledKernel> code;
  KernelParameters parameters;
  runtime::Launch launch;  // changes on the executor's thread alone
  bool joins;              // the launch before it in its stream, where that lets it
};

class PendingLaunch : public std::enable_shared_from_this<PendingLaunch> {
 public:
  PendingLaunch(Context& context, std::shared_ptr<PreparedLaunch> prepared, const LaunchCall& call);
  PendingLaunch(const PendingLaunch&) = delete;
  PendingLaunch& operator=(const PendingLaunch&) = delete;

  // In the step that submits it, or an event that it records: operation `ticket` is a part of it,
  // unless something else has been submitted between.
  void extend_to(Ticket ticket);
  // In the step that submits `next` as operation `ticket`: that joins it if it may.
  void offer(const std::shared_ptr<PendingLaunch>& next, Ticket ticket);
  // Whether a launch may still join it: nothing has been submitted behind it, in any stream.
  [[nodiscard]] bool is_open() const;
  // None may.
  void close();
  // Null where none has come.
  [[nodiscard]] std::shared_ptr<PendingLaunch> next() const;

  // For the executor. Runs it, and what joins it, unless it has joined another one itself.
  void run();
  // Makes it ready to begin, as one of a chain.
  [[nodiscard]] const runtime::Launch& begin();
  // It has ended.
  void end(const std::optional<runtime::Fault>& fault) const;

 private:
  enum class State : std::uint8_t { open, joined, closed };

  Context& context_;
  std::shared_ptr<PreparedLaunch> prepared_;
  LaunchCall call_;
  std::int64_t start_ = 0;  // as recorded
  runtime::Launch launch_;
  std::shared_ptr<const runtime::AddressMap> addresses_;
  bool begun_ = false;
  std::atomic<State> state_ = State::open;
  std::shared_ptr<PendingLaunch> next_;  // once it is joined
  std::atomic<Ticket> last_ = 0;         // operation that is a part of it
};

// Gives the launch to the stream.
void submit(Context& context, Stream& stream, const std::shared_ptr<PreparedLaunch>& prepared);
// Records the event at the end of the launch that the stream was given last.
void record_with_launch(Context& context, Stream& stream, const std::shared_ptr<Event>& event);

// While a call prepares a launch that may join the one before it, that one expects it.
class LaunchToCome {
 public:
  // Null: there is none.
  explicit LaunchToCome(Context* context) : context_(context) {
    if (context_ != nullptr) ++context_->launches_to_come;
  }
  LaunchToCome(const LaunchToCome&) = delete;
  LaunchToCome& operator=(const LaunchToCome&) = delete;
  ~LaunchToCome() {
    if (context_ != nullptr) --context_->launches_to_come;
  }

 private:
  Context* context_;
};

}  // namespace emulator::api
