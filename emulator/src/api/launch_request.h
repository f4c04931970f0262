// A launch as a program asks for it, checked as a GPU's driver checks it, and what becomes of it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "api/context.h"
#include "api/cuda_api.h"
#include "api/operation.h"
#include "api/pending_launch.h"

namespace emulator::api {

struct LaunchRequest {
  CUfunction function;
  Extents grid;
  Extents block;
  std::uint32_t dynamic_shared_bytes;
  CUstream stream;
  void** parameters;  // one pointer per parameter; null where `extra` is used or there are none
  void** extra;       // CU_LAUNCH_PARAM_*; null where `parameters` is used or there are none
  Cooperation cooperation = Cooperation::none;
  Extents cluster = {0, 0, 0};  // zeros: as the kernel says
  StreamOrder order = StreamOrder::serial;
  // That the launch itself records: once all its blocks have let the next one begin, or have begun.
  // Here that is once it has ended, which CUDA allows.
  std::vector<CUevent> events{};
};

// Checks the shape and copies the parameters. Throws Refusal.
[[nodiscard]] KernelOperation read_request(Context& context, const LaunchRequest& request);

// Compiles the kernel for its shape, if that has not been done. Throws Refusal.
[[nodiscard]] std::shared_ptr<PreparedLaunch> prepare_launch(Context& context,
                                                             const KernelOperation& kernel);

// Gives the launch to its stream. Throws Refusal.
void launch(Context& context, const LaunchRequest& request);

}  // namespace emulator::api
