// Launches the kernels of a file that autokernel judged, from a host program. Made by autokernel
// export.
#pragma once

#include <cuda_runtime.h>

#include <cstring>
#include <string>
#include <vector>

namespace autokernel {

// A tensor's address, a scalar or a size: `value` points to it, as a launch takes it.
struct Operand {
  const char* name;
  void* value;
};

#ifdef AUTOKERNEL_SIZE  // in the file of a kernel

struct Extent {
  long long x = 1, y = 1, z = 1;
};
template <auto* function>
struct Kernel {};
template <auto* function>
constexpr Kernel<function> kernel{};

struct KernelName {
  const char* text = nullptr;
  const void* address = nullptr;
  constexpr KernelName() = default;
  constexpr KernelName(const char* name) : text(name) {}
  template <auto* function>
  KernelName(Kernel<function>) : address(reinterpret_cast<const void*>(function)) {}
};

struct Launch {
  KernelName kernel;
  Extent grid;
  Extent block;
  long long shared_bytes = 0;
  Extent cluster;
  bool cooperative = false;
  bool programmatic = false;
  const char* arguments = "";
};

inline std::vector<std::string> names_in(const char* list) {
  std::vector<std::string> names;
  std::string name;
  for (const char* at = list;; ++at) {
    if (*at == ',' || *at == '\0') {
      if (!name.empty()) names.push_back(name);
      name.clear();
      if (*at == '\0') return names;
    } else if (*at != ' ') {
      name += *at;
    }
  }
}

// `usual` are the operands of a launch that does not say which it takes.
inline cudaError_t carry_out(const Launch& launch, const void* function,
                             const std::vector<Operand>& operands, const char* usual,
                             cudaStream_t stream) {
  std::vector<void*> arguments;
  for (const std::string& name : names_in(*launch.arguments ? launch.arguments : usual)) {
    for (const Operand& operand : operands)
      if (name == operand.name) arguments.push_back(operand.value);
  }
  constexpr int kWithoutAsking = 48 << 10;  // bytes of shared memory that every kernel may have
  if (launch.shared_bytes > kWithoutAsking) {
    const cudaError_t failed =
        cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(launch.shared_bytes));
    if (failed != cudaSuccess) return failed;
  }
  cudaLaunchAttribute attributes[3];
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(launch.grid.x, launch.grid.y, launch.grid.z);
  config.blockDim = dim3(launch.block.x, launch.block.y, launch.block.z);
  config.dynamicSmemBytes = launch.shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  const long long blocks = launch.cluster.x * launch.cluster.y * launch.cluster.z;
  if (blocks > 1) {
    cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = launch.cluster.x;
    cluster.val.clusterDim.y = launch.cluster.y;
    cluster.val.clusterDim.z = launch.cluster.z;
    if (blocks > 8)
      cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  }
  if (launch.cooperative) {
    attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
    attributes[config.numAttrs++].val.cooperative = 1;
  }
  if (launch.programmatic) {
    attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
  }
  return cudaLaunchKernelExC(&config, function, arguments.data());
}

template <int size>
struct alignas(size % 8 == 0   ? 8
               : size % 4 == 0 ? 4
                               : 1) Bytes {
  unsigned char byte[size];
};

#define AUTOKERNEL_LAUNCH(...) const ::autokernel::Launch autokernel_launches[16] = {__VA_ARGS__}
#define AUTOKERNEL_WORKSPACE(size) static_assert((size) > 0, "a workspace has bytes")
#define AUTOKERNEL_ZEROED_WORKSPACE(size) static_assert((size) > 0, "a workspace has bytes")

#endif  // AUTOKERNEL_SIZE

}  // namespace autokernel
