// Whether launches gave what they should have, found out on the device, where inputs and references
// are made anew: the way to the host and back takes longer than anything else about them. What is
// not right is left to the judge on the host, who says what is wrong with it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "autokernel/compile/front_end.h"
#include "trial/check/device_comparison.h"
#include "trial/check/fp64_reference.h"
#include "trial/check/reference.h"
#include "trial/launch/device_operands.h"
#include "trial/launch/kernel_launcher.h"

namespace autokernel::trial {

// The source of its kernels, to be compiled like any other for the device at hand.
[[nodiscard]] compile::Request device_judge_source(const std::string& architecture);

// Its kernels, which outlive the references that it looks at.
class JudgingKernels {
 public:
  // All must live longer. Throws what HarnessModule throws.
  JudgingKernels(const driver::Device& device, const compile::Program& program,
                 const InputMaker& maker)
      : device_(&device),
        operands_(device, program, maker),
        comparison_(device, program),
        stream_(device.make_stream()) {}

  // Whether it can say anything of such a case. A sum of products is held to a rule of its own
  // (product_check.h).
  [[nodiscard]] static bool suit(const cases::Case& problem);

  // Whether two launches at the same size left the same bits. Nothing may be running.
  [[nodiscard]] bool are_same(const LaunchRecord& one, const LaunchRecord& other) const;
  // A record with its outputs on the host.
  [[nodiscard]] LaunchRecord fetch(const LaunchRecord& launch) const;

 private:
  friend class DeviceJudge;
  const driver::Device* device_;
  DeviceOperands operands_;
  DeviceComparison comparison_;
  driver::Stream stream_;
};

class DeviceJudge {
 public:
  // `fp64` is null where the case has none. All must live longer.
  DeviceJudge(JudgingKernels& kernels, KernelReference& reference, Fp64Reference* fp64)
      : kernels_(&kernels), reference_(&reference), fp64_(fp64) {}

  [[nodiscard]] const JudgingKernels& kernels() const { return *kernels_; }

  enum class Look : std::uint8_t {
    is_right,
    is_doubtful,
    reference_not_finite,  // so that nothing can be said, and nothing is wrong
  };
  // `closeness` is that of each tensor of the launch; on stress inputs a reference need not be
  // finite, and on declared ones the root mean square of the errors counts too. Differences are
  // raised to those of the launch where it is right.
  [[nodiscard]] Look look(const LaunchRecord& launch,
                          const std::function<Closeness(std::size_t)>& closeness, bool is_stress,
                          Differences& differences);

 private:
  [[nodiscard]] Look look_at(InputKind input_kind, const ComparedOnDevice& where,
                             const Closeness& closeness, bool is_stress,
                             Differences& differences) const;

  JudgingKernels* kernels_;
  KernelReference* reference_;
  Fp64Reference* fp64_;
};

}  // namespace autokernel::trial
