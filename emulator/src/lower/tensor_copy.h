// cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and cp.async.bulk.prefetch.tensor.
#pragma once

#include "lower/writer.h"

namespace emulator::lower {

void copy_tensor(Writer& writer, const ptx::Instruction& instruction);

}  // namespace emulator::lower
