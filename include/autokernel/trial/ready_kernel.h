// A kernel of a case, made ready to be launched by somebody else: in a program, in the place of the
// kernel that the case is of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "autokernel/cases/case.h"
#include "autokernel/compile/program.h"
#include "autokernel/driver/tensor_map.h"
#include "autokernel/trial/result.h"

namespace autokernel::trial {

// Where a parameter of a launch comes from.
struct ReadyParameter {
  enum class Kind : std::uint8_t { tensor, value, workspace, map, size };
  Kind kind = Kind::tensor;
  std::size_t index = 0;    // of ReadyKernel's tensors, values or maps
  std::int64_t number = 0;  // a size; of a tensor and the workspace: bytes from its beginning
};

struct ReadyLaunch {
  compile::Launch launch;
  std::vector<ReadyParameter> parameters;
};

struct ReadyTensor {
  std::string name;
  cases::Role role = cases::Role::in;
  cases::DType dtype = cases::DType::f32;
  std::uint64_t bytes = 0;
  std::vector<std::int64_t> extents;  // outermost first, without padding
  std::int64_t pitch = 0;             // elements from one row (the last dimension) to the next
  cases::Tolerance tolerance;         // of what is written; zero: to the bit
};

// What is handed over by value: a [[scalar]] or a [[struct]] of the case.
struct ReadyValue {
  std::string name;
  std::vector<std::byte> bytes;
  std::vector<cases::ByValue::Pointer> pointers;
};

struct ReadyMap {
  std::size_t buffer = 0;    // a tensor; one behind the last: the workspace
  std::uint64_t offset = 0;  // bytes
  driver::TensorMapLayout layout;
};

struct ReadyKernel {
  compile::Program program;
  std::vector<ReadyLaunch> launches;  // in order
  std::vector<ReadyTensor> tensors;
  std::vector<ReadyValue> values;
  std::vector<ReadyMap> maps;
};

// What tensors begin at a multiple of where kernels are judged, in bytes.
[[nodiscard]] std::size_t judged_alignment();

// "sm_90a" for capability 9.0: the variant with everything the hardware has, where one exists.
[[nodiscard]] std::string architecture_of(int major, int minor);

// The kernel that the request is about, compiled for "sm_90a" at the size it names; or why it is
// none. A kernel that stands for the captured one (AUTOKERNEL_ORIGINAL) is that one.
[[nodiscard]] std::variant<ReadyKernel, std::string> ready_kernel(const Request& request,
                                                                  const std::string& architecture);

}  // namespace autokernel::trial
