// cp.async.bulk and cp.reduce.async.bulk, but for tensors, and st.bulk. Carried out at once, as all
// copies are.
#pragma once

#include "lower/writer.h"

namespace emulator::lower {

void copy_in_bulk(Writer& writer, const ptx::Instruction& instruction);
// tensormap.cp_fenceproxy: a tensor map from shared to global memory.
void copy_tensor_map(Writer& writer, const ptx::Instruction& instruction);
// st.bulk: zeros into shared memory.
void fill_in_bulk(Writer& writer, const ptx::Instruction& instruction);

}  // namespace emulator::lower
