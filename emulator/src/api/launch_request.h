// A launch as a program asks for it, checked as a GPU's driver checks it, and what becomes of it.
#pragma once

#include <cstdint>
#include <functional>

#include "api/context.h"
#include "api/cuda_api.h"
#include "api/operation.h"

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
};

// Checks the shape and copies the parameters. Throws Refusal.
[[nodiscard]] KernelOperation read_request(Context& context, const LaunchRequest& request);

// Compiles the kernel for its shape, if that has not been done. The work launches it, for the
// executor. Throws Refusal.
[[nodiscard]] std::function<void()> launching(Context& context, const KernelOperation& kernel);

// Gives the launch to its stream. Throws Refusal.
void launch(Context& context, const LaunchRequest& request);

// The result a program sees after a fault of that kind.
[[nodiscard]] CUresult result_of(runtime::FaultKind kind);

}  // namespace emulator::api
