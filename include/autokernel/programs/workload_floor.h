// The least time that a device needs for a workload, operation by operation: what a plan ranks
// where nothing was measured.
#pragma once

#include <string>
#include <vector>

#include "autokernel/driver/device_info.h"
#include "autokernel/programs/workload.h"

namespace autokernel::programs {

// What bounds an operation on a device.
struct OperationFloor {
  // Of one run: max(flops / peak of its unit, bytes / peak of the memory), the roofline (Williams,
  // Waterman and Patterson, Communications of the ACM 52(4), 2009).
  double floor_us = 0;
  std::string bound;    // which of the two it is: "compute" or "memory"
  double total_us = 0;  // of all its runs
  double share = 0;     // of the floors of all operations of the workload, 0 to 1
};

// As long as workload.operations, in their order. Throws Error(usage) where the device lacks the
// unit of one of them or a peak is not known, as on the emulated device: shares of the others alone
// would mislead.
[[nodiscard]] std::vector<OperationFloor> floors_of(const Workload& workload,
                                                    const driver::DeviceInfo& device);

}  // namespace autokernel::programs
