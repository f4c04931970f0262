// Launching kernels.
#include "api/driver.h"
#include "api/error_translation.h"
#include "api/launch_request.h"

namespace emulator::api {
namespace {

// Adds what the attribute asks for to the request.
void apply(const CUlaunchAttribute& attribute, LaunchRequest& request) {
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: {
      const auto& cluster = attribute.value.clusterDim;
      request.cluster = {cluster.x, cluster.y, cluster.z};
      break;
    }
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      request.cooperation =
          attribute.value.cooperative != 0 ? Cooperation::whole_grid : Cooperation::none;
      break;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
      request.order = attribute.value.programmaticStreamSerializationAllowed != 0
                          ? StreamOrder::programmatic
                          : StreamOrder::serial;
      break;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
      require(attribute.value.programmaticEvent.flags == 0);
      request.events.push_back(attribute.value.programmaticEvent.event);
      break;
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
      require(attribute.value.launchCompletionEvent.flags == 0);
      request.events.push_back(attribute.value.launchCompletionEvent.event);
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
    emulator::api::LaunchRequest request = {
        function,
        {config->gridDimX, config->gridDimY, config->gridDimZ},
        {config->blockDimX, config->blockDimY, config->blockDimZ},
        config->sharedMemBytes,
        config->hStream,
        parameters,
        extra};
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      emulator::api::apply(config->attrs[i], request);
    }
    emulator::api::launch(*context, request);
  });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                                   void** parameters) {
  return answer([&] {
    emulator::api::launch(*current_context(), {function,
                                               {grid_x, grid_y, grid_z},
                                               {block_x, block_y, block_z},
                                               shared_bytes,
                                               stream,
                                               parameters,
                                               nullptr,
                                               emulator::api::Cooperation::whole_grid});
  });
}
