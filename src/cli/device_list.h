// Several devices, as one option names them.
#pragma once

#include <string>
#include <vector>

#include "autokernel/driver/device_choice.h"

namespace autokernel::cli {

// "cuda:0,cuda:1", "8*slurm:gpus,gres=gpu:1/cuda". Throws Error(usage) for what names no device.
[[nodiscard]] std::vector<driver::DeviceChoice> devices_in(const std::string& list);

}  // namespace autokernel::cli
