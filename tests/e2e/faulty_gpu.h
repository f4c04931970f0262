// A machine whose GPU is the emulated device, behind a driver that fails on demand.
#pragma once

#include <string>
#include <vector>

#include "e2e/workplace.h"

namespace autokernel::test {

class FaultyGpu : public Workplace {
 protected:
  // With a case of 4096 elements and a kernel that makes a bench use every function of the driver.
  FaultyGpu();

  // One bench with --device cuda. `fault` is "CALL:N:EFFECT": see support/faulty_driver.
  [[nodiscard]] Invocation on_gpu(const std::string& fault,
                                  const std::vector<std::string>& more = {}) const;
  [[nodiscard]] Outcome bench_with(const std::string& fault,
                                   const std::vector<std::string>& more = {}) const {
    return test::run(on_gpu(fault, more));
  }
  // The same in the process that the kernel runs in: who judges it makes the same calls.
  [[nodiscard]] Outcome bench_with_in_launcher(const std::string& fault,
                                               const std::vector<std::string>& more = {}) const;
  // The same where `library` stands in for libcuda.so.1.
  [[nodiscard]] Outcome bench_on_driver(const std::string& library) const;

  void expect_sound_next_bench() const;
};

// "cuModuleLoadDataEx:2": which of the calls is the first for the kernel itself. Those before are
// for what makes its operands on the device (trial/launch/device_operands.h).
[[nodiscard]] std::string of_the_kernel(const std::string& call);
// A call for the gate of the timed launches, which is made while no kernel is loaded.
[[nodiscard]] std::string of_the_gate();

// "cuMemAlloc" for "cuMemAlloc_v2", as messages name it.
[[nodiscard]] std::string plain_name(const std::string& call);

}  // namespace autokernel::test
