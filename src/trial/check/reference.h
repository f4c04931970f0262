// What a launch should have given. Nothing of this may exist while a candidate is loaded:
// references are made when its module is gone, and are gone themselves before the next is loaded.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autokernel/compile/program.h"
#include "autokernel/driver/device.h"
#include "trial/blas/library.h"
#include "trial/inputs/sized_case.h"
#include "trial/launch/candidate.h"
#include "trial/launch/device_operands.h"
#include "trial/launch/operands.h"

namespace autokernel::trial {

class Reference {
 public:
  Reference() = default;
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  virtual ~Reference() = default;
  // Every tensor that is written, in its own type, rounded once; the others are empty. Stays valid
  // until the next call.
  [[nodiscard]] virtual const std::vector<Bytes>& expected(const SizedCase& sized,
                                                           const std::vector<Bytes>& inputs) = 0;
};

// Rows, columns and depth of left x right at these sizes.
[[nodiscard]] Product product_of(const SizedCase& sized, const std::string& left,
                                 const std::string& right);

// A matrix product by a library. `library` must live longer.
class LibraryReference : public Reference {
 public:
  LibraryReference(Library& library, cases::GemmReference gemm)
      : library_(&library), gemm_(std::move(gemm)) {}
  [[nodiscard]] const std::vector<Bytes>& expected(const SizedCase& sized,
                                                   const std::vector<Bytes>& inputs) override;

 private:
  Library* library_;
  cases::GemmReference gemm_;
  std::vector<float> result_;
  std::vector<Bytes> expected_;
};

// The case's own kernel, on the same device. What it is compiled for is indexed by the name of the
// size.
using ReferencePrograms = std::map<std::string, compile::Program>;
class KernelReference : public Reference {
 public:
  // Both must live longer.
  KernelReference(const driver::Device& device, const ReferencePrograms& programs)
      : device_(&device), programs_(&programs) {}
  [[nodiscard]] const std::vector<Bytes>& expected(const SizedCase& sized,
                                                   const std::vector<Bytes>& inputs) override;
  // The same on inputs that are made on the device, where the results stay: until the next call.
  [[nodiscard]] const Operands& on_device(const Occasion& occasion, DeviceOperands& source);

 private:
  struct Loaded {
    Candidate kernel;
    DeviceMemory memory;
    Operands operands;
    driver::Stream stream;
    HostSide host;
  };
  [[nodiscard]] Loaded& loaded_for(const SizedCase& sized);
  static void launch(Loaded& loaded, const SizedCase& sized);

  const driver::Device* device_;
  const ReferencePrograms* programs_;
  std::map<std::string, Loaded> loaded_;
  std::vector<Bytes> expected_;
};

}  // namespace autokernel::trial
