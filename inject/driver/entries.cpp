// The entry points that this library defines by itself. Everything else is forwarded as it is
// (forwarded_entries.S).
#include <cuda.h>

#include <cstring>
#include <string_view>

#include "driver/images.h"
#include "driver/launches.h"
#include "driver/real_driver.h"
#include "driver/replacing.h"

// cuda.h turns the names into those of the newest version.
#undef cuGetProcAddress
#undef cuGraphAddKernelNode
#undef cuGraphAddNode
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams

namespace {

using autokernel::inject::CodeHandle;
using autokernel::inject::forget_functions;
using autokernel::inject::forget_image;
using autokernel::inject::graph_launched;
using autokernel::inject::is_replacing;
using autokernel::inject::is_watching;
using autokernel::inject::keep_image;
using autokernel::inject::keep_image_of_file;
using autokernel::inject::LaunchView;
using autokernel::inject::may_touch_node;
using autokernel::inject::note_node;
using autokernel::inject::real;
using autokernel::inject::watch;

using LaunchKernel = CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                              unsigned, unsigned, CUstream, void**, void**);
using LaunchKernelEx = CUresult(const CUlaunchConfig*, CUfunction, void**, void**);
using LaunchCooperative = CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                   unsigned, unsigned, CUstream, void**);
using AddKernelNode = CUresult(CUgraphNode*, CUgraph, const CUgraphNode*, size_t,
                               const CUDA_KERNEL_NODE_PARAMS_v1*);
using AddKernelNodeV2 = CUresult(CUgraphNode*, CUgraph, const CUgraphNode*, size_t,
                                 const CUDA_KERNEL_NODE_PARAMS_v2*);
using AddNode = CUresult(CUgraphNode*, CUgraph, const CUgraphNode*, size_t, CUgraphNodeParams*);
using AddNodeV2 = CUresult(CUgraphNode*, CUgraph, const CUgraphNode*, const CUgraphEdgeData*,
                           size_t, CUgraphNodeParams*);
using GetProcAddress = CUresult(const char*, void**, int, cuuint64_t);
using GetProcAddressV2 = CUresult(const char*, void**, int, cuuint64_t,
                                  CUdriverProcAddressQueryResult*);

[[nodiscard]] bool is_cooperative(const CUlaunchConfig& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    if (config.attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
      return config.attrs[i].value.cooperative != 0;
    }
  }
  return false;
}

void loaded(const CodeHandle& handle, const void* code) {
  forget_functions();
  keep_image(handle, code);
}
void loaded_from_file(const CodeHandle& handle, const char* path) {
  forget_functions();
  keep_image_of_file(handle, path);
}

// To the entry points with a suffix, no stream is the one of the calling thread.
[[nodiscard]] CUstream stream_of(std::string_view suffix, CUstream stream) {
  return stream == nullptr && !suffix.empty() ? CU_STREAM_PER_THREAD : stream;
}

}  // namespace

#define AUTOKERNEL_ENTRY extern "C" __attribute__((visibility("default"))) CUresult

// Each once for the legacy default stream, and once for one of each thread (_ptsz).
#define AUTOKERNEL_LAUNCHES(suffix)                                                              \
  AUTOKERNEL_ENTRY cuLaunchKernel##suffix(CUfunction function, unsigned grid_x, unsigned grid_y, \
                                          unsigned grid_z, unsigned block_x, unsigned block_y,   \
                                          unsigned block_z, unsigned shared_bytes,               \
                                          CUstream stream, void** parameters, void** extra) {    \
    static const auto launch =                                                                   \
        real("cuLaunchKernel" #suffix, static_cast<LaunchKernel*>(nullptr));                     \
    const LaunchView view{function,                                                              \
                          {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, \
                          stream_of(#suffix, stream),                                            \
                          parameters,                                                            \
                          extra,                                                                 \
                          false,                                                                 \
                          nullptr,                                                               \
                          0};                                                                    \
    return watch(view, [&] {                                                                     \
      return launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,   \
                    stream, parameters, extra);                                                  \
    });                                                                                          \
  }                                                                                              \
  AUTOKERNEL_ENTRY cuLaunchKernelEx##suffix(const CUlaunchConfig* config, CUfunction function,   \
                                            void** parameters, void** extra) {                   \
    static const auto launch =                                                                   \
        real("cuLaunchKernelEx" #suffix, static_cast<LaunchKernelEx*>(nullptr));                 \
    if (config == nullptr) return launch(config, function, parameters, extra);                   \
    const LaunchView view{function,                                                              \
                          {{config->gridDimX, config->gridDimY, config->gridDimZ},               \
                           {config->blockDimX, config->blockDimY, config->blockDimZ},            \
                           config->sharedMemBytes},                                              \
                          stream_of(#suffix, config->hStream),                                   \
                          parameters,                                                            \
                          extra,                                                                 \
                          is_cooperative(*config),                                               \
                          config->attrs,                                                         \
                          config->numAttrs};                                                     \
    return watch(view, [&] { return launch(config, function, parameters, extra); });             \
  }                                                                                              \
  AUTOKERNEL_ENTRY cuLaunchCooperativeKernel##suffix(                                            \
      CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,  \
      unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,                \
      void** parameters) {                                                                       \
    static const auto launch =                                                                   \
        real("cuLaunchCooperativeKernel" #suffix, static_cast<LaunchCooperative*>(nullptr));     \
    const LaunchView view{function,                                                              \
                          {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, \
                          stream_of(#suffix, stream),                                            \
                          parameters,                                                            \
                          nullptr,                                                               \
                          true,                                                                  \
                          nullptr,                                                               \
                          0};                                                                    \
    return watch(view, [&] {                                                                     \
      return launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,   \
                    stream, parameters);                                                         \
    });                                                                                          \
  }

#undef cuLaunchKernel
#undef cuLaunchKernelEx
#undef cuLaunchCooperativeKernel
AUTOKERNEL_LAUNCHES()
AUTOKERNEL_LAUNCHES(_ptsz)

AUTOKERNEL_ENTRY cuModuleLoad(CUmodule* module, const char* path) {
  const CUresult result = AUTOKERNEL_REAL(cuModuleLoad)(module, path);
  if (result == CUDA_SUCCESS && is_watching()) loaded_from_file({.module = *module}, path);
  return result;
}
AUTOKERNEL_ENTRY cuModuleLoadData(CUmodule* module, const void* image) {
  const CUresult result = AUTOKERNEL_REAL(cuModuleLoadData)(module, image);
  if (result == CUDA_SUCCESS && is_watching()) loaded({.module = *module}, image);
  return result;
}
AUTOKERNEL_ENTRY cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count,
                                    CUjit_option* options, void** values) {
  const CUresult result =
      AUTOKERNEL_REAL(cuModuleLoadDataEx)(module, image, count, options, values);
  if (result == CUDA_SUCCESS && is_watching()) loaded({.module = *module}, image);
  return result;
}
AUTOKERNEL_ENTRY cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  const CUresult result = AUTOKERNEL_REAL(cuModuleLoadFatBinary)(module, image);
  if (result == CUDA_SUCCESS && is_watching()) loaded({.module = *module}, image);
  return result;
}
AUTOKERNEL_ENTRY cuModuleUnload(CUmodule module) {
  if (is_watching()) {
    forget_functions();
    forget_image({.module = module});
  }
  return AUTOKERNEL_REAL(cuModuleUnload)(module);
}
AUTOKERNEL_ENTRY cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* options,
                                   void** values, unsigned count, CUlibraryOption* own_options,
                                   void** own_values, unsigned own_count) {
  const CUresult result = AUTOKERNEL_REAL(cuLibraryLoadData)(library, code, options, values, count,
                                                             own_options, own_values, own_count);
  if (result == CUDA_SUCCESS && is_watching()) loaded({.library = *library}, code);
  return result;
}
AUTOKERNEL_ENTRY cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option* options,
                                       void** values, unsigned count, CUlibraryOption* own_options,
                                       void** own_values, unsigned own_count) {
  const CUresult result = AUTOKERNEL_REAL(cuLibraryLoadFromFile)(
      library, path, options, values, count, own_options, own_values, own_count);
  if (result == CUDA_SUCCESS && is_watching()) loaded_from_file({.library = *library}, path);
  return result;
}
AUTOKERNEL_ENTRY cuLibraryUnload(CUlibrary library) {
  if (is_watching()) {
    forget_functions();
    forget_image({.library = library});
  }
  return AUTOKERNEL_REAL(cuLibraryUnload)(library);
}

AUTOKERNEL_ENTRY cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                                      size_t count, const CUDA_KERNEL_NODE_PARAMS_v1* launch) {
  static const auto add = real("cuGraphAddKernelNode", static_cast<AddKernelNode*>(nullptr));
  if (is_watching() && launch != nullptr) note_node(launch->func, nullptr);
  return add(node, graph, after, count, launch);
}
AUTOKERNEL_ENTRY cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                                         size_t count, const CUDA_KERNEL_NODE_PARAMS_v2* launch) {
  static const auto add = real("cuGraphAddKernelNode_v2", static_cast<AddKernelNodeV2*>(nullptr));
  if (is_watching() && launch != nullptr) note_node(launch->func, launch->kern);
  return add(node, graph, after, count, launch);
}
AUTOKERNEL_ENTRY cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                                size_t count, CUgraphNodeParams* what) {
  static const auto add = real("cuGraphAddNode", static_cast<AddNode*>(nullptr));
  if (is_watching() && what != nullptr && what->type == CU_GRAPH_NODE_TYPE_KERNEL) {
    note_node(what->kernel.func, what->kernel.kern);
  }
  return add(node, graph, after, count, what);
}
AUTOKERNEL_ENTRY cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                                   const CUgraphEdgeData* edges, size_t count,
                                   CUgraphNodeParams* what) {
  static const auto add = real("cuGraphAddNode_v2", static_cast<AddNodeV2*>(nullptr));
  if (is_watching() && what != nullptr && what->type == CU_GRAPH_NODE_TYPE_KERNEL) {
    note_node(what->kernel.func, what->kernel.kern);
  }
  return add(node, graph, after, edges, count, what);
}

#define AUTOKERNEL_GRAPH_LAUNCH(suffix)                                                           \
  AUTOKERNEL_ENTRY cuGraphLaunch##suffix(CUgraphExec graph, CUstream stream) {                    \
    static const auto launch =                                                                    \
        real("cuGraphLaunch" #suffix, static_cast<CUresult (*)(CUgraphExec, CUstream)>(nullptr)); \
    const CUresult result = launch(graph, stream);                                                \
    if (result == CUDA_SUCCESS && is_replacing()) graph_launched(stream_of(#suffix, stream));     \
    return result;                                                                                \
  }
#undef cuGraphLaunch
AUTOKERNEL_GRAPH_LAUNCH()
AUTOKERNEL_GRAPH_LAUNCH(_ptsz)

// NOLINTBEGIN(bugprone-macro-parentheses): declarations, and arguments in parentheses
// What reads or changes a kernel within a graph, by the node that the program has of it.
#define AUTOKERNEL_OF_NODE(name, declared, passed, node)                                \
  AUTOKERNEL_ENTRY name declared {                                                      \
    static const auto change = real(#name, static_cast<CUresult(*) declared>(nullptr)); \
    return may_touch_node(node) ? change passed : CUDA_ERROR_NOT_SUPPORTED;             \
  }
AUTOKERNEL_OF_NODE(cuGraphKernelNodeGetParams,
                   (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1* launch), (node, launch), node)
AUTOKERNEL_OF_NODE(cuGraphKernelNodeGetParams_v2,
                   (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2* launch), (node, launch), node)
AUTOKERNEL_OF_NODE(cuGraphKernelNodeSetParams,
                   (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* launch), (node, launch),
                   node)
AUTOKERNEL_OF_NODE(cuGraphKernelNodeSetParams_v2,
                   (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2* launch), (node, launch),
                   node)
AUTOKERNEL_OF_NODE(cuGraphExecKernelNodeSetParams,
                   (CUgraphExec graph, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* launch),
                   (graph, node, launch), node)
AUTOKERNEL_OF_NODE(cuGraphExecKernelNodeSetParams_v2,
                   (CUgraphExec graph, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2* launch),
                   (graph, node, launch), node)
AUTOKERNEL_OF_NODE(cuGraphNodeSetParams, (CUgraphNode node, CUgraphNodeParams* what), (node, what),
                   node)
AUTOKERNEL_OF_NODE(cuGraphExecNodeSetParams,
                   (CUgraphExec graph, CUgraphNode node, CUgraphNodeParams* what),
                   (graph, node, what), node)
// NOLINTEND(bugprone-macro-parentheses)

extern "C" GetProcAddressV2 cuGetProcAddress_v2;

namespace {

// Ours in the place of the driver's, where this library defines the function.
[[nodiscard]] void* own_entry(const char* name, int version, cuuint64_t flags, void* found) {
  struct Own {
    const char* name;
    int since;  // the version of CUDA from which on the name means this one
    void* entry;
    void* per_thread;
  };
// NOLINTBEGIN(bugprone-macro-parentheses): the names of functions
#define AUTOKERNEL_OWN(name, per_thread) \
  {#name, 0, reinterpret_cast<void*>(&name), reinterpret_cast<void*>(&per_thread)}
#define AUTOKERNEL_OWN_SINCE(name, since, entry) \
  {#name, since, reinterpret_cast<void*>(&entry), reinterpret_cast<void*>(&entry)}
  // NOLINTEND(bugprone-macro-parentheses)
  static const Own kOwn[] = {
      AUTOKERNEL_OWN(cuLaunchKernel, cuLaunchKernel_ptsz),
      AUTOKERNEL_OWN(cuLaunchKernelEx, cuLaunchKernelEx_ptsz),
      AUTOKERNEL_OWN(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz),
      AUTOKERNEL_OWN(cuGraphLaunch, cuGraphLaunch_ptsz),
      AUTOKERNEL_OWN(cuModuleLoad, cuModuleLoad),
      AUTOKERNEL_OWN(cuModuleLoadData, cuModuleLoadData),
      AUTOKERNEL_OWN(cuModuleLoadDataEx, cuModuleLoadDataEx),
      AUTOKERNEL_OWN(cuModuleLoadFatBinary, cuModuleLoadFatBinary),
      AUTOKERNEL_OWN(cuModuleUnload, cuModuleUnload),
      AUTOKERNEL_OWN(cuLibraryLoadData, cuLibraryLoadData),
      AUTOKERNEL_OWN(cuLibraryLoadFromFile, cuLibraryLoadFromFile),
      AUTOKERNEL_OWN(cuLibraryUnload, cuLibraryUnload),
      // As cudaTypedefs.h has it.
      AUTOKERNEL_OWN_SINCE(cuGraphAddKernelNode, 12000, cuGraphAddKernelNode_v2),
      AUTOKERNEL_OWN_SINCE(cuGraphAddKernelNode, 0, cuGraphAddKernelNode),
      AUTOKERNEL_OWN_SINCE(cuGraphAddNode, 12030, cuGraphAddNode_v2),
      AUTOKERNEL_OWN_SINCE(cuGraphAddNode, 0, cuGraphAddNode),
      AUTOKERNEL_OWN_SINCE(cuGraphKernelNodeGetParams, 12000, cuGraphKernelNodeGetParams_v2),
      AUTOKERNEL_OWN_SINCE(cuGraphKernelNodeGetParams, 0, cuGraphKernelNodeGetParams),
      AUTOKERNEL_OWN_SINCE(cuGraphKernelNodeSetParams, 12000, cuGraphKernelNodeSetParams_v2),
      AUTOKERNEL_OWN_SINCE(cuGraphKernelNodeSetParams, 0, cuGraphKernelNodeSetParams),
      AUTOKERNEL_OWN_SINCE(cuGraphExecKernelNodeSetParams, 12000,
                           cuGraphExecKernelNodeSetParams_v2),
      AUTOKERNEL_OWN_SINCE(cuGraphExecKernelNodeSetParams, 0, cuGraphExecKernelNodeSetParams),
      AUTOKERNEL_OWN(cuGraphNodeSetParams, cuGraphNodeSetParams),
      AUTOKERNEL_OWN(cuGraphExecNodeSetParams, cuGraphExecNodeSetParams),
  };
  const bool per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  for (const Own& own : kOwn) {
    if (std::strcmp(name, own.name) != 0 || version < own.since) continue;
    return per_thread ? own.per_thread : own.entry;
  }
  return found;
}

}  // namespace

AUTOKERNEL_ENTRY cuGetProcAddress(const char* name, void** entry, int version, cuuint64_t flags) {
  static const auto ask = real("cuGetProcAddress", static_cast<GetProcAddress*>(nullptr));
  const CUresult result = ask(name, entry, version, flags);
  if (result != CUDA_SUCCESS || entry == nullptr || *entry == nullptr) return result;
  // The caller has the older one of these two.
  *entry = std::strcmp(name, "cuGetProcAddress") == 0 ? reinterpret_cast<void*>(&cuGetProcAddress)
                                                      : own_entry(name, version, flags, *entry);
  return result;
}

AUTOKERNEL_ENTRY cuGetProcAddress_v2(const char* name, void** entry, int version, cuuint64_t flags,
                                     CUdriverProcAddressQueryResult* status) {
  static const auto ask = real("cuGetProcAddress_v2", static_cast<GetProcAddressV2*>(nullptr));
  const CUresult result = ask(name, entry, version, flags, status);
  if (result != CUDA_SUCCESS || entry == nullptr || *entry == nullptr) return result;
  constexpr int kSecondVersion = 12000;  // from which on the name means this one
  if (std::strcmp(name, "cuGetProcAddress") == 0) {
    *entry = version >= kSecondVersion ? reinterpret_cast<void*>(&cuGetProcAddress_v2)
                                       : reinterpret_cast<void*>(&cuGetProcAddress);
  } else {
    *entry = own_entry(name, version, flags, *entry);
  }
  return result;
}
