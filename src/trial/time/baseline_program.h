// A case's own baseline: a host program that is built, loaded and called
// (include/autokernel_baseline.h).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "autokernel/base/scratch.h"
#include "autokernel/cases/case.h"
#include "autokernel/compile/host_library.h"
#include "autokernel/driver/device.h"
#include "trial/inputs/sized_case.h"

namespace autokernel::trial {

class LoadedBaseline {
 public:
  // Builds it for that size and architecture ("sm_90"); the device's context must be current.
  // Throws Error(environment) where it cannot be built, loaded or made ready.
  LoadedBaseline(const cases::BaselineProgram& program, const driver::Device& device,
                 const SizedCase& sized, const std::string& architecture, compile::Caching caching,
                 const std::function<void()>& meanwhile);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& configuration() const { return configuration_; }
  // Throws Error(environment) where it says that it could not.
  void queue(std::span<void* const> arguments, const driver::Stream& stream) const;

 private:
  using Launch = const char*(void* const*, void*, CUstream_st*);

  ScratchDirectory folder_;
  std::string file_;
  Launch* launch_ = nullptr;
  std::string name_;
  std::string configuration_;
  driver::Buffer workspace_;
};

}  // namespace autokernel::trial
