// The kernels of a program's cases that have been worked on, each judged in its case, and made
// ready to be put into the program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/cases/editable_files.h"
#include "autokernel/cli/cli.h"
#include "autokernel/driver/device_choice.h"
#include "autokernel/programs/replacement_set.h"
#include "autokernel/trial/result.h"

namespace autokernel::cli {

struct JudgedKernel {
  programs::KernelToReplace kernel;
  std::string sha256;  // of its source, all files
  double alone = 0;    // the original's time over its own; 0: not known
};

// Of its files; changes with any of them.
[[nodiscard]] std::string digest(const cases::KernelSource& kernel);

struct JudgedKernels {
  std::vector<JudgedKernel> kernels;
  trial::DeviceReport device;
  int refused = 0;  // that are not among them, as standard output says
};

// Whether the kernel of any case in the folder is no longer the one that it began with.
[[nodiscard]] bool any_is_worked_on(const std::filesystem::path& cases);

// Of the cases in the folder that `names` has, or of all whose kernel is no longer the one that
// they began with. Tells of each on standard output; `quiet` tells on standard error. Throws
// Error(usage) where there are none to judge.
[[nodiscard]] JudgedKernels judged_kernels(const std::filesystem::path& cases,
                                           const std::vector<std::string>& names,
                                           const driver::DeviceChoice& device, std::ostream& tell);

}  // namespace autokernel::cli
