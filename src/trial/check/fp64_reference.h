// What a launch should have given, in fp64: the yardstick for results that rounding makes differ
// from kernel to kernel, and so cannot be compared to the bit.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trial/check/reference.h"
#include "trial/inputs/sized_case.h"

namespace autokernel::trial {

class Fp64Reference {
 public:
  // Both must live longer. `programs` write double where the tensors' type is a floating one.
  Fp64Reference(const driver::Device& device, const ReferencePrograms& programs)
      : kernel_(device, programs) {}

  // Every floating tensor that is written; the others are empty. Stays valid until the next call.
  [[nodiscard]] const std::vector<std::vector<double>>& expected(const SizedCase& sized,
                                                                 const std::vector<Bytes>& inputs);
  // The same as doubles on the device (KernelReference).
  [[nodiscard]] const Operands& on_device(const Occasion& occasion, DeviceOperands& source);
  // Whether it has doubles for that tensor.
  [[nodiscard]] static bool holds_doubles(const SizedTensor& tensor);

 private:
  // The case with room for doubles, which the kernel's buffers refer to.
  [[nodiscard]] const SizedCase& widened(const SizedCase& sized);

  std::map<std::string, SizedCase> widened_;  // by the name of the size
  KernelReference kernel_;
  std::vector<std::vector<double>> expected_;
};

}  // namespace autokernel::trial
