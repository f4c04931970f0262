// Launching kernels.
#include "emulator/api/answer.h"
#include "emulator/api/driver.h"
#include "emulator/api/launch_request.h"

namespace emulator::api {
namespace {

// Blocks of a cooperative launch wait for each other, so that each needs a worker of its own.
void require_room_for_all(const std::array<std::uint32_t, 3>& grid) {
  const std::uint64_t blocks = std::uint64_t{grid[0]} * grid[1] * grid[2];
  require(blocks <= Driver::get().device().workers, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

void require_attribute(const CUlaunchConfig& config, const CUlaunchAttribute& attribute) {
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: {
      const auto& cluster = attribute.value.clusterDim;
      require(cluster.x == 1 && cluster.y == 1 && cluster.z == 1, CUDA_ERROR_NOT_SUPPORTED);
      break;
    }
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      if (attribute.value.cooperative != 0) {
        require_room_for_all({config.gridDimX, config.gridDimY, config.gridDimZ});
      }
      break;
    default:
      // The others say how to schedule, not what to compute.
      break;
  }
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::current_context;
using emulator::api::require;

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                        void** parameters, void** extra) {
  return answer([&] {
    emulator::api::launch(*current_context(), {function,
                                               {grid_x, grid_y, grid_z},
                                               {block_x, block_y, block_z},
                                               shared_bytes,
                                               stream,
                                               parameters,
                                               extra});
  });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters,
                          void** extra) {
  return answer([&] {
    const auto context = current_context();
    require(config != nullptr && (config->numAttrs == 0 || config->attrs != nullptr));
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      emulator::api::require_attribute(*config, config->attrs[i]);
    }
    emulator::api::launch(*context, {function,
                                     {config->gridDimX, config->gridDimY, config->gridDimZ},
                                     {config->blockDimX, config->blockDimY, config->blockDimZ},
                                     config->sharedMemBytes,
                                     config->hStream,
                                     parameters,
                                     extra});
  });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                                   void** parameters) {
  return answer([&] {
    const auto context = current_context();
    emulator::api::require_room_for_all({grid_x, grid_y, grid_z});
    emulator::api::launch(*context, {function,
                                     {grid_x, grid_y, grid_z},
                                     {block_x, block_y, block_z},
                                     shared_bytes,
                                     stream,
                                     parameters,
                                     nullptr});
  });
}
