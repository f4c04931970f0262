// A launch as a program asks the driver for it, whichever of the driver's functions it called.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <string>
#include <vector>

#include "driver/images.h"
#include "driver/request.h"

namespace autokernel::inject {

struct LaunchView {
  CUfunction function;  // or a CUkernel, as CUDA's runtime has it
  Shape shape;
  CUstream stream;    // also where it is a thread's own default stream
  void** parameters;  // one pointer for each; null where `extra` is used, or there are none
  void** extra;       // CU_LAUNCH_PARAM_*; null where `parameters` is used
  bool cooperative;
  const CUlaunchAttribute* attributes;  // of cuLaunchKernelEx
  unsigned attribute_count;
};

// What a launch's handle is. The runtime, and whoever uses libraries, launches a CUkernel under the
// type of a CUfunction.
class LaunchedFunction {
 public:
  explicit LaunchedFunction(CUfunction handle);

  [[nodiscard]] const std::string& name() const { return name_; }  // empty: the driver knows none
  [[nodiscard]] CodeHandle code() const;
  struct Parameter {
    std::size_t offset, bytes;
  };
  // As the driver lists them; false where it cannot (before CUDA 12.4).
  [[nodiscard]] bool list_parameters(std::vector<Parameter>& parameters) const;
  [[nodiscard]] int attribute(CUfunction_attribute which) const;

 private:
  CUfunction function_ = nullptr;
  CUkernel kernel_ = nullptr;  // where it is one
  std::string name_;
};

// Whether launches into the stream are being recorded into a graph.
[[nodiscard]] bool is_being_recorded(CUstream stream);

// The bytes of each parameter, of which `listed` says where it lies where all are packed.
[[nodiscard]] std::vector<std::vector<unsigned char>> parameters_of(
    const LaunchView& launch, const std::vector<LaunchedFunction::Parameter>& listed);
// All that are packed into a buffer by whoever launches; empty where each has a pointer.
[[nodiscard]] std::vector<unsigned char> packed_parameters(const LaunchView& launch);

}  // namespace autokernel::inject
