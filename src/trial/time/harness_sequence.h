// Work of the harness's own on a GPU, timed as a candidate's launches are: behind a gate, between
// events, with cold caches.
#pragma once

#include <functional>
#include <optional>

#include "autokernel/driver/device.h"
#include "trial/blas/cublas.h"
#include "trial/inputs/keys.h"
#include "trial/launch/device_memory.h"
#include "trial/launch/operand_source.h"
#include "trial/launch/operands.h"
#include "trial/time/gpu_tools.h"

namespace autokernel::trial {

// A gate that gives up means that queueing waited for the device, once at most where modules are
// loaded lazily.
inline constexpr int kGateAttempts = 3;

// Throws Error(environment) for a fault of what is called so in messages.
void expect_sound(const std::optional<driver::Fault>& fault, const char* what);

class HarnessSequence {
 public:
  // Both must live longer.
  HarnessSequence(const driver::Device& device, GpuTools& tools);

  // Microseconds of what `queue` queues. Throws Error(environment) where that faults, or waits for
  // the device.
  using Queue = std::function<void(const driver::Stream&)>;
  [[nodiscard]] double sample(const Queue& queue, const char* what);

 private:
  const driver::Device* device_;
  GpuTools* tools_;
  driver::Stream stream_;
  driver::Event start_;
  driver::Event stop_;
};

// The matrices of a library's product, on buffers that no candidate is ever given.
class ProductOperands {
 public:
  // Made by `source` for one key; `device` and `sized` must live longer.
  ProductOperands(const driver::Device& device, const SizedCase& sized, OperandSource& source,
                  KeySource& keys, const cases::GemmReference& gemm);

  [[nodiscard]] const Product& product() const { return product_; }
  [[nodiscard]] Cublas::Operand left() const { return left_; }
  [[nodiscard]] Cublas::Operand right() const { return right_; }
  [[nodiscard]] Cublas::Operand output() const { return output_; }

 private:
  [[nodiscard]] Cublas::Operand operand(const SizedCase& sized, const std::string& name) const;

  Product product_;
  DeviceMemory memory_;
  Operands operands_;
  Cublas::Operand left_;
  Cublas::Operand right_;
  Cublas::Operand output_;
};

}  // namespace autokernel::trial
