#include "trial/time/harness_sequence.h"

#include <fmt/format.h>

#include "autokernel/base/error.h"
#include "trial/check/reference.h"
#include "trial/launch/launch_kind.h"

namespace autokernel::trial {

void expect_sound(const std::optional<driver::Fault>& fault, const char* what) {
  if (fault) {
    throw Error(Stop::environment, fmt::format("cannot time {}: {} ({}, {})", what, fault->text,
                                               fault->name, fault->code));
  }
}

HarnessSequence::HarnessSequence(const driver::Device& device, GpuTools& tools)
    : device_(&device),
      tools_(&tools),
      stream_(device.make_stream()),
      start_(device.make_event()),
      stop_(device.make_event()) {}

double HarnessSequence::sample(const Queue& queue, const char* what) {
  for (int attempt = 0; attempt < kGateAttempts; ++attempt) {
    device_->reset_persisting_l2();
    BehindGate gate(*tools_, Flush::yes);
    gate.queue_before(stream_);
    expect_sound(stream_.record(start_), what);
    queue(stream_);
    expect_sound(stream_.record(stop_), what);
    gate.release();
    expect_sound(stream_.wait(), what);
    if (!tools_->gate_gave_up()) return stop_.microseconds_since(start_);
  }
  throw Error(Stop::environment,
              fmt::format("cannot time {}: queueing it waits for the device", what));
}

ProductOperands::ProductOperands(const driver::Device& device, const SizedCase& sized,
                                 OperandSource& source, KeySource& keys,
                                 const cases::GemmReference& gemm)
    : product_(product_of(sized, gemm.left, gemm.right)),
      memory_(device, Operands::required_bytes(device, sized, Extras{})),
      operands_(device, sized, Extras{}, memory_) {
  const Key key = keys.draw(name_of(LaunchKind::library));
  const driver::Stream stream = device.make_stream();
  source.load(operands_, {&sized, timed_input_kind(*sized.problem), key}, stream);
  expect_sound(stream.wait(), "the library");
  left_ = operand(sized, gemm.left);
  right_ = operand(sized, gemm.right);
  output_ = operand(sized, gemm.output);
}

Cublas::Operand ProductOperands::operand(const SizedCase& sized, const std::string& name) const {
  const std::size_t index = sized.index_of(name);
  return {operands_.address(index), sized.tensors[index].tensor->dtype};
}

}  // namespace autokernel::trial
