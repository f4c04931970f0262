// How far results of other kernels may be from those of a captured one.
#pragma once

#include "autokernel/driver/device.h"
#include "autokernel/programs/captured_launch.h"
#include "autokernel/programs/study.h"

namespace autokernel::programs {

// Sets StudiedTensor::bound of all that are written: twice as much as they change when the inputs
// move by one unit in the last place, and the rounding of both. Where a kernel that does nothing,
// or writes the same everywhere, would pass with that, it is less: the rounding alone, or nothing.
// Throws StudyFaulted where a replay faults.
void find_bounds(const CapturedLaunch& launch, const driver::Device& device, Study& study);

}  // namespace autokernel::programs
