// The harness's own kernels on a GPU: one that holds a stream back until everything is queued, two
// that empty the L2 of what a candidate could profit from, and two that do nothing. That of
// launch/device_operands.h is compiled with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "autokernel/compile/front_end.h"
#include "autokernel/driver/device.h"
#include "trial/launch/harness_module.h"
#include "trial/launch/kernel_launcher.h"

namespace autokernel::trial {

// Their source, to be compiled like any other for the device at hand.
[[nodiscard]] compile::Request gpu_tools_source(const std::string& architecture);

enum class Flush : std::uint8_t { no, yes };

class GpuTools {
 public:
  // Throws what HarnessModule throws. Both must live longer.
  GpuTools(const driver::Device& device, const compile::Program& program);

  // Queues a kernel that waits for `open`, at most kGateSeconds.
  void close_gate(const driver::Stream& stream);
  void open_gate();
  // Whether the last gate gave up waiting: what was timed behind it includes the time to queue it.
  // Ask when idle.
  [[nodiscard]] bool gate_gave_up() const;
  // Queues writing, then reading, twice the L2: neither hot inputs nor lines still to be written
  // back are left.
  void flush(const driver::Stream& stream);
  void nothing(const driver::Stream& stream) const;
  // Queues 0 to 7 kernels that do nothing: what comes behind them has another place in the queue
  // each time. On an H200 a launch with 256 bytes of parameters or more takes 0.9 us longer at some
  // places, which repeat every four launches (docs/measurement.md).
  void shift(const driver::Stream& stream);

 private:
  HarnessModule module_;
  driver::Kernel gate_;
  driver::Kernel write_;
  driver::Kernel read_;
  driver::Kernel empty_;
  driver::Kernel shift_;
  driver::MappedBuffer flags_;  // whether the gate is open, whether it gave up
  driver::Buffer lines_;        // twice the L2
  driver::Buffer sink_;
  std::uint32_t value_ = 0;  // written by the next flush
  driver::Shape shape_;      // of a flush
  std::mt19937 places_{std::random_device{}()};
};

// A gate before each launch, a flush where asked for, and another place in the queue.
class BehindGate : public LaunchSetup {
 public:
  BehindGate(GpuTools& tools, Flush flush) : tools_(&tools), flush_(flush) {}
  void queue_before(const driver::Stream& stream) override {
    tools_->close_gate(stream);
    if (flush_ == Flush::yes) tools_->flush(stream);
    tools_->shift(stream);
  }
  void release() override { tools_->open_gate(); }

 private:
  GpuTools* tools_;
  Flush flush_;
};

}  // namespace autokernel::trial
