// A tensor against what it should be, looked at on the device where both are: what
// compare_tensors.h and rms_errors.h find on the host, some thousand times as fast. It says whether
// a tensor is right, and leaves to the host to say what is wrong with one.
#pragma once

#include <cstdint>
#include <string>

#include "autokernel/cases/case.h"
#include "trial/check/compare_tensors.h"
#include "trial/check/rms_errors.h"
#include "trial/launch/harness_module.h"

namespace autokernel::trial {

// The source of the kernel that does it, to be compiled behind operand_kernel(), whose functions it
// calls.
[[nodiscard]] std::string comparison_kernel();

// Where the elements lie on the device.
struct ComparedOnDevice {
  driver::Address got = 0;
  driver::Address reference = 0;
  driver::Address right = 0;  // the same in fp64; 0: not known
  std::uint64_t count = 0;
  cases::DType dtype = cases::DType::f32;
};

// Over all elements. What is expected is the right value, rounded once, or the reference's where
// that is not known.
struct DeviceFindings {
  std::uint64_t differing = 0;
  std::uint64_t not_finite = 0;  // of what is expected
  Differences differences;
  // Where the right values are known.
  std::uint64_t disagreeing = 0;  // references that are further apart than the tolerance
  double reference_error = 0;     // the largest, or not finite
  RmsErrors rms;
};

class DeviceComparison {
 public:
  // `program` has comparison_kernel(). The device must live longer. Throws what HarnessModule
  // throws.
  DeviceComparison(const driver::Device& device, const compile::Program& program);

  // `closeness` has no magnitudes. Where the right values are known, the reference's largest error
  // is added to the absolute tolerance. Nothing may be running.
  [[nodiscard]] DeviceFindings compare(const ComparedOnDevice& tensor, const Closeness& closeness,
                                       const driver::Stream& stream) const;
  // Whether both have the same bytes.
  [[nodiscard]] bool are_same(driver::Address one, driver::Address other, std::size_t bytes,
                              const driver::Stream& stream) const;

  // Whether the type is one that it compares.
  [[nodiscard]] static bool knows(cases::DType dtype, bool is_right_known);

 private:
  struct Job;
  struct Found;
  [[nodiscard]] Found run(const Job& job, const driver::Stream& stream) const;

  const driver::Device* device_;
  HarnessModule module_;
  driver::Kernel kernel_;
  driver::Buffer found_;
};

}  // namespace autokernel::trial
