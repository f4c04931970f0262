#include "api/function_attributes.h"

#include "api/error_translation.h"
#include "api/limits.h"

namespace emulator::api {
namespace {

// Of CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_*.
std::size_t dimension_of(CUfunction_attribute which) {
  return static_cast<std::size_t>(which - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
}

}  // namespace

int attribute_of(const Kernel& kernel, CUfunction_attribute which) {
  const jit::KernelLayout& layout = kernel.layout();
  switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return static_cast<int>(kernel.max_threads());
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return static_cast<int>(layout.static_shared_bytes);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      return static_cast<int>(layout.constant_bytes);
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return static_cast<int>(layout.local_bytes_per_thread);
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return kernel.target();
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return kernel.max_dynamic_shared_bytes;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return kernel.carveout;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      return kernel.non_portable_clusters ? 1 : 0;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
      return kernel.function().explicit_cluster ? 1 : 0;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      return static_cast<int>(kernel.required_cluster().at(dimension_of(which)));
    default:
      // There are no registers to count.
      require(which > 0 && which < CU_FUNC_ATTRIBUTE_MAX);
      return 0;
  }
}

void set_attribute(Kernel& kernel, CUfunction_attribute which, int value) {
  switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      require(value >= 0 &&
              static_cast<std::uint32_t>(value) + kernel.layout().static_shared_bytes <=
                  kOptInSharedBytes);
      kernel.max_dynamic_shared_bytes = value;
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      require(value >= -1 && value <= 100);
      kernel.carveout = value;
      break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      require(value == 0 || value == 1);
      kernel.non_portable_clusters = value == 1;
      break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      require(value >= 0 && !kernel.function().required_cluster);
      kernel.program_cluster.at(dimension_of(which)) = static_cast<std::uint32_t>(value);
      break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      break;  // says how to schedule, not what to compute
    default:
      throw Refusal(CUDA_ERROR_INVALID_VALUE);
  }
}

}  // namespace emulator::api
