// The operands of a launch made on a GPU itself, and looked at there: the same bytes to the bit as
// the host's, without their way to the device and back, which takes several times as long as most
// kernels. Who judges the outputs makes the inputs once more, on the host and in another process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trial/launch/harness_module.h"
#include "trial/launch/operand_source.h"

namespace autokernel::trial {

// The source of the kernel that does it, to be compiled with the harness's others.
[[nodiscard]] std::string operand_kernel();

class DeviceOperands : public OperandSource {
 public:
  // `program` has operand_kernel(). All must live longer. Throws what HarnessModule throws.
  DeviceOperands(const driver::Device& device, const compile::Program& program,
                 const InputMaker& maker);
  void load(Operands& operands, const Occasion& occasion, const driver::Stream& stream) override {
    load(operands, occasion, occasion.key, stream);
  }
  // The same, with everything but inputs filled with the bits of another key.
  void load(Operands& operands, const Occasion& occasion, const Key& noise,
            const driver::Stream& stream);
  [[nodiscard]] std::optional<Disturbance> disturbed(const Operands& operands,
                                                     const Occasion& occasion,
                                                     const driver::Stream& stream) override;
  [[nodiscard]] const Staging& staging() override { return staging_; }

 private:
  struct Job;
  enum class Wanted : std::uint8_t { all, unchanged };
  [[nodiscard]] std::vector<Job> jobs(const Operands& operands, const Occasion& occasion,
                                      Wanted wanted);
  // The captured values of the tensor, which stay on the device.
  [[nodiscard]] driver::Address captured_on_device(const SizedTensor& tensor);
  // `differs` is 0 where they are to be written.
  void queue_jobs(const std::vector<Job>& jobs, const Key& key, driver::Address differs,
                  const driver::Stream& stream) const;
  // What it was, as the host's own copy of everything tells it.
  [[nodiscard]] Disturbance described(const Operands& operands, const Occasion& occasion);

  const driver::Device* device_;
  const InputMaker* maker_;
  HarnessModule module_;
  driver::Kernel kernel_;
  driver::Buffer quantiles_;      // of the normal distribution
  driver::MappedBuffer differs_;  // one word
  driver::Shape shape_;           // of any one of the jobs
  Staging staging_;
  std::map<std::string, driver::Buffer> captured_;  // by digest
  std::vector<Bytes> scalars_;  // indexed like the tensors; all others are empty
};

}  // namespace autokernel::trial
