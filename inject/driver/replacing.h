// Kernels of the program replaced by ours, where they were judged for just that launch.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <functional>

#include "driver/launch_view.h"
#include "driver/own_kernel.h"

namespace autokernel::inject {

// Whether anything is to be replaced in this process.
[[nodiscard]] bool is_replacing();

// Launches ours in the place of the launch, or makes it with `forward`.
[[nodiscard]] CUresult launch_or_replace(const LaunchView& launch,
                                         const std::function<CUresult()>& forward);

// The same of anything that stands for launches: ours are launched on these operands, or `original`
// does what the program asked for, and what it does meanwhile is no launch of the program's.
[[nodiscard]] CUresult replace(std::size_t number, const GivenOperands& operands, CUstream stream,
                               const std::function<CUresult()>& original);

// After a graph was launched: what it has computed with kernels of ours is compared, where that is
// asked for.
void graph_launched(CUstream stream);

// A kernel becomes a node of a graph by itself, which is left as it is.
void note_node_of_graph(CUfunction function);
// A handle may be given to another function once its code has been unloaded.
void forget_replaced_functions();

// Whether the program may change or read that node of a graph: not where it is a kernel of ours,
// which takes other parameters than the program thinks. It is told so once.
[[nodiscard]] bool may_touch_node(CUgraphNode node);

}  // namespace autokernel::inject
