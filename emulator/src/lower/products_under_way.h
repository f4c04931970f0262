// Where a kernel may touch registers of a wgmma that it has not waited for. Along each way through
// the kernel it is followed which products are under way, in groups as wgmma.commit_group makes
// them, and which registers hold their parts; wgmma.wait_group ends the groups it names. What is
// found here may be on a way that no warp ever takes, so compiled code asks the runtime.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "lower/control_flow.h"
#include "ptx/ast.h"

namespace emulator::lower {

// By instruction, the wgmma instructions whose registers it touches: both by their index in the
// body. To add to the same accumulators once more is no touch; nor is to copy one, which only gives
// it another name.
using Touches = std::map<std::uint32_t, std::set<std::uint32_t>>;
[[nodiscard]] Touches touches_of_products(const ptx::Function& function, const ControlFlow& flow);

// Whether a kernel of the module may have products under way while it stores.
[[nodiscard]] bool has_products(const ptx::Module& module);

}  // namespace emulator::lower
