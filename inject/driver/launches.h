// What happens to every launch of the program.
#pragma once

#include <cuda.h>

#include <functional>

#include "driver/launch_view.h"

namespace autokernel::inject {

// Makes the launch with `forward`; if it is a wanted one, it is captured as it happens, or ours is
// made in its place.
template <typename Forward>
[[nodiscard]] CUresult watch(const LaunchView& launch, const Forward& forward);

// Whether anything is wanted of this process, or to be replaced in it.
[[nodiscard]] bool is_watching();
// As `watch`, where something is.
[[nodiscard]] CUresult watched(const LaunchView& launch, const std::function<CUresult()>& forward);
// A kernel becomes a node of a graph, whose launches are not seen here.
void note_node(CUfunction function, CUkernel kernel);
// A handle may be given to another function once its code has gone, as it was unloaded, or its
// context has ended; other code is loaded before that.
void forget_functions();

template <typename Forward>
CUresult watch(const LaunchView& launch, const Forward& forward) {
  return is_watching() ? watched(launch, forward) : forward();
}

}  // namespace autokernel::inject
