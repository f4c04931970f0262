// The order of a kernel's blocks, which is the order in which the parts of a split warp run. It
// comes from the ways between the blocks, not from the text: nvcc may write the end of a loop's
// body, with its barrier, in front of the loop's beginning, and lanes that skip the rest of the
// body must not come there before the others.
#pragma once

#include "lower/control_flow.h"

namespace emulator::lower {

// Renumbers the blocks, whose first is the entry, so that
// - a block comes behind all that lead to it, except that the head of a loop comes before what
//   leads back to it;
// - the blocks of a loop, and so of the loops inside of it, stand together, the head first.
// Lanes that wait anywhere are then behind those that run, and can come to where these are only by
// way of a loop's head. A loop that is left for its head from several blocks, or from the end of a
// loop inside of it, gets an empty block as its last, where its lanes come together before they go
// round again; where lanes take turns, so does every loop. Loops that are entered in several places
// have as their head the entry that comes first in the text. Blocks that nothing reaches come last,
// and lead nowhere any more.
//
// F. Bourdoncle, "Efficient chaotic iteration strategies with widenings" (1993), calls such an
// order weakly topological. G. Diamos et al., "SIMD Re-Convergence at Thread Frontiers" (2011), run
// split warps by one.
void put_in_running_order(ControlFlow& flow, LanesChoice lanes);

}  // namespace emulator::lower
