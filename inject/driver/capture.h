// One launch, and the memory it may reach, written down before and after.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "driver/launch_view.h"

namespace autokernel::inject {

// Writes what is there before the launch, makes it with `forward`, waits for its end and writes
// what has changed. Into a folder of its own below the request's (docs/capture-format.md). Where it
// cannot be captured, the folder says why, and the launch is made as ever. Returns what `forward`
// returned. No other launch may be made meanwhile.
template <typename Forward>
[[nodiscard]] CUresult capture(const LaunchView& launch, const LaunchedFunction& function,
                               std::uint64_t occurrence, const Forward& forward);

// The two halves of it.
class Capture {
 public:
  Capture(const LaunchView& launch, const LaunchedFunction& function, std::uint64_t occurrence);
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture();

  void finish(CUresult launched);

 private:
  struct State;
  State* state_;
};

template <typename Forward>
CUresult capture(const LaunchView& launch, const LaunchedFunction& function,
                 std::uint64_t occurrence, const Forward& forward) {
  Capture capture(launch, function, occurrence);
  const CUresult result = forward();
  capture.finish(result);
  return result;
}

// A wanted launch that is recorded into a CUDA graph: what it will compute with is not there yet.
void note_graph(const LaunchedFunction& function);

}  // namespace autokernel::inject
