// One launch of a kernel on fresh inputs, with the checks that belong to it. Checks and timing use
// the same launch, so that what is timed is what is checked.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "autokernel/driver/device.h"
#include "trial/inputs/inputs.h"
#include "trial/launch/candidate.h"
#include "trial/launch/operand_source.h"
#include "trial/launch/operands.h"
#include "trial/launch/rejection.h"
#include "trial/launch/restore_cost.h"

namespace autokernel::trial {

// What a launch left behind, kept until the candidate is gone and references may exist: on the
// host, or on the device of who judges.
struct LaunchRecord {
  const SizedCase* sized = nullptr;
  InputKind input_kind = InputKind::declared;
  Key key;
  std::string name;            // "timed launch 4"
  std::vector<Bytes> outputs;  // indexed like the tensors; empty for those that are only read
  // The same, where they stay on the device; `outputs` is empty then.
  std::shared_ptr<const std::vector<driver::Buffer>> on_device = {};
};

// Who takes what launches left behind, one by one, to judge it in the end.
class RecordSink {
 public:
  RecordSink() = default;
  RecordSink(const RecordSink&) = delete;
  RecordSink& operator=(const RecordSink&) = delete;
  virtual ~RecordSink() = default;
  // `record` has no outputs yet: they lie on the device, in `operands`, from where they go through
  // `staging`, and nothing is running.
  virtual void take(LaunchRecord record, const Operands& operands, const Staging& staging) = 0;
  // Whether what was taken has to be judged before there is room for more.
  [[nodiscard]] virtual bool is_full() const { return false; }
  // Waits until it has been. No candidate may be loaded.
  virtual void have_judged() {}
};
// Of launches that nobody judges.
class NoRecords : public RecordSink {
 public:
  void take(LaunchRecord /*record*/, const Operands& /*operands*/,
            const Staging& /*staging*/) override {}
};

// What is queued before a launch and has to happen for it to begin.
class LaunchSetup {
 public:
  LaunchSetup() = default;
  LaunchSetup(const LaunchSetup&) = delete;
  LaunchSetup& operator=(const LaunchSetup&) = delete;
  virtual ~LaunchSetup() = default;
  // The device is idle, and inputs are in place.
  virtual void queue_before(const driver::Stream& /*stream*/) {}
  // Everything is queued.
  virtual void release() {}
  // It is over, and nothing has been looked at yet.
  virtual void over() {}
};

struct Launched {
  double microseconds = 0;  // between the events around all launches of the declaration
  // It was the first to change an object of the module, so that resetting it was not timed: it is
  // to be launched again, and its time still counts where it is the longer one. The kernel chooses
  // in which launch that happens, and would rid itself of its slow ones.
  bool is_underpriced = false;
};
using Launching = std::variant<Launched, Rejection>;

class KernelLauncher {
 public:
  // Launches use `sets` sets of buffers in turn. The references must live longer.
  KernelLauncher(const driver::Device& device, const Candidate& candidate, const SizedCase& sized,
                 OperandSource& source, std::size_t sets);

  // Has inputs made from the key and everything else filled with random bits, restores the module's
  // objects, launches, waits, and has `records` take the outputs. Timed are the launches, and what
  // setting back costs of the objects that they are known to change. `name` says which launch this
  // is, in messages.
  [[nodiscard]] Launching launch(InputKind input_kind, const Key& key, const std::string& name,
                                 LaunchSetup& setup, RecordSink& records);

  // Launches `times` times, one right after the other, on the buffers as the last launch left them;
  // gives the host-clock microseconds of one.
  [[nodiscard]] std::variant<double, Rejection> back_to_back(int times);

  // Of the launches from now on, on the emulated device.
  void order_warps(driver::WarpOrder order) const { device_->order_warps(order); }

  // How many things one run queues beside the kernel's own launches, to set its objects back.
  [[nodiscard]] std::size_t queued_restore_cost() const { return restore_cost_.queued(); }
  [[nodiscard]] const driver::Stream& stream() const { return stream_; }

 private:
  const driver::Device* device_;
  const Candidate* candidate_;
  const SizedCase* sized_;
  OperandSource* source_;
  DeviceMemory memory_;
  std::vector<Operands> sets_;
  std::size_t next_ = 0;
  driver::Stream stream_;
  driver::Event start_;
  driver::Event stop_;
  RestoreCost restore_cost_;
};

// "exact inputs, timed launch 4", as messages name a launch; sizes are added where they are not the
// default ones.
[[nodiscard]] std::string occasion(const SizedCase& sized, InputKind input_kind,
                                   const std::string& name);

}  // namespace autokernel::trial
