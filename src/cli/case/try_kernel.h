// One short trial of a kernel of a case.
#pragma once

#include <filesystem>
#include <string>

#include "autokernel/cases/case.h"
#include "autokernel/driver/device_choice.h"
#include "autokernel/trial/result.h"

namespace autokernel::cli {

struct CaseTrial {
  std::filesystem::path folder;  // of the case
  driver::DeviceChoice device;
  std::string size;  // that it is made at
  trial::Depth depth = trial::Depth::usual;
};

// Of `kernel` in the place of the folder's, in the case of these files. Throws what
// supervise() throws.
[[nodiscard]] trial::Result try_kernel(const CaseTrial& of, const cases::KernelSource& kernel,
                                       const cases::CaseFiles& files);

}  // namespace autokernel::cli
