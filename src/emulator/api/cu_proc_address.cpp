// Finding entry points by name: every program of the CUDA runtime's kind does this instead of
// linking.
#include <algorithm>
#include <array>
#include <string_view>

#include "emulator/api/answer.h"

namespace emulator::api {
namespace {

struct Entry {
  std::string_view name;  // without a version, as programs ask for it
  int since;              // the first CUDA version that means this one
  void* function;
};

// Deprecated functions are found by name like all others.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
// cuda.h turns the name into that of the newest version; the text of it stays.
#define EMULATOR_ENTRY(name) \
  Entry { #name, 0, reinterpret_cast<void*>(name) }
const auto& entries() {
  static const std::array table = {
      // Versions whose parameters differ; newest first.
      Entry{"cuCtxCreate", 12050, reinterpret_cast<void*>(cuCtxCreate_v4)},
      Entry{"cuCtxCreate", 11040, reinterpret_cast<void*>(cuCtxCreate_v3)},
      Entry{"cuCtxCreate", 0, reinterpret_cast<void*>(cuCtxCreate_v2)},
      Entry{"cuGetProcAddress", 12000, reinterpret_cast<void*>(cuGetProcAddress_v2)},
      Entry{"cuGetProcAddress", 0, reinterpret_cast<void*>(cuGetProcAddress)},
      EMULATOR_ENTRY(cuCtxDestroy),
      EMULATOR_ENTRY(cuCtxGetApiVersion),
      EMULATOR_ENTRY(cuCtxGetCacheConfig),
      EMULATOR_ENTRY(cuCtxGetCurrent),
      EMULATOR_ENTRY(cuCtxGetDevice),
      EMULATOR_ENTRY(cuCtxGetFlags),
      EMULATOR_ENTRY(cuCtxGetId),
      EMULATOR_ENTRY(cuCtxGetLimit),
      EMULATOR_ENTRY(cuCtxGetStreamPriorityRange),
      EMULATOR_ENTRY(cuCtxPopCurrent),
      EMULATOR_ENTRY(cuCtxPushCurrent),
      EMULATOR_ENTRY(cuCtxResetPersistingL2Cache),
      EMULATOR_ENTRY(cuCtxSetCacheConfig),
      EMULATOR_ENTRY(cuCtxSetCurrent),
      EMULATOR_ENTRY(cuCtxSetLimit),
      EMULATOR_ENTRY(cuCtxSynchronize),
      EMULATOR_ENTRY(cuDeviceComputeCapability),
      EMULATOR_ENTRY(cuDeviceGet),
      EMULATOR_ENTRY(cuDeviceGetAttribute),
      EMULATOR_ENTRY(cuDeviceGetCount),
      EMULATOR_ENTRY(cuDeviceGetName),
      EMULATOR_ENTRY(cuDeviceGetPCIBusId),
      EMULATOR_ENTRY(cuDeviceGetUuid),
      EMULATOR_ENTRY(cuDevicePrimaryCtxGetState),
      EMULATOR_ENTRY(cuDevicePrimaryCtxRelease),
      EMULATOR_ENTRY(cuDevicePrimaryCtxReset),
      EMULATOR_ENTRY(cuDevicePrimaryCtxRetain),
      EMULATOR_ENTRY(cuDevicePrimaryCtxSetFlags),
      EMULATOR_ENTRY(cuDeviceTotalMem),
      EMULATOR_ENTRY(cuDriverGetVersion),
      EMULATOR_ENTRY(cuEventCreate),
      EMULATOR_ENTRY(cuEventDestroy),
      EMULATOR_ENTRY(cuEventElapsedTime),
      EMULATOR_ENTRY(cuEventQuery),
      EMULATOR_ENTRY(cuEventRecord),
      EMULATOR_ENTRY(cuEventRecordWithFlags),
      EMULATOR_ENTRY(cuEventSynchronize),
      EMULATOR_ENTRY(cuFuncGetAttribute),
      EMULATOR_ENTRY(cuFuncGetModule),
      EMULATOR_ENTRY(cuFuncGetName),
      EMULATOR_ENTRY(cuFuncGetParamInfo),
      EMULATOR_ENTRY(cuFuncIsLoaded),
      EMULATOR_ENTRY(cuFuncLoad),
      EMULATOR_ENTRY(cuFuncSetAttribute),
      EMULATOR_ENTRY(cuFuncSetCacheConfig),
      EMULATOR_ENTRY(cuGetErrorName),
      EMULATOR_ENTRY(cuGetErrorString),
      EMULATOR_ENTRY(cuInit),
      EMULATOR_ENTRY(cuLaunchCooperativeKernel),
      EMULATOR_ENTRY(cuLaunchHostFunc),
      EMULATOR_ENTRY(cuLaunchKernel),
      EMULATOR_ENTRY(cuLaunchKernelEx),
      EMULATOR_ENTRY(cuLinkAddData),
      EMULATOR_ENTRY(cuLinkAddFile),
      EMULATOR_ENTRY(cuLinkComplete),
      EMULATOR_ENTRY(cuLinkCreate),
      EMULATOR_ENTRY(cuLinkDestroy),
      EMULATOR_ENTRY(cuMemAlloc),
      EMULATOR_ENTRY(cuMemAllocAsync),
      EMULATOR_ENTRY(cuMemAllocHost),
      EMULATOR_ENTRY(cuMemAllocPitch),
      EMULATOR_ENTRY(cuMemFree),
      EMULATOR_ENTRY(cuMemFreeAsync),
      EMULATOR_ENTRY(cuMemFreeHost),
      EMULATOR_ENTRY(cuMemGetAddressRange),
      EMULATOR_ENTRY(cuMemGetInfo),
      EMULATOR_ENTRY(cuMemHostAlloc),
      EMULATOR_ENTRY(cuMemHostGetDevicePointer),
      EMULATOR_ENTRY(cuMemHostGetFlags),
      EMULATOR_ENTRY(cuMemHostRegister),
      EMULATOR_ENTRY(cuMemHostUnregister),
      EMULATOR_ENTRY(cuMemcpy),
      EMULATOR_ENTRY(cuMemcpyAsync),
      EMULATOR_ENTRY(cuMemcpyDtoD),
      EMULATOR_ENTRY(cuMemcpyDtoDAsync),
      EMULATOR_ENTRY(cuMemcpyDtoH),
      EMULATOR_ENTRY(cuMemcpyDtoHAsync),
      EMULATOR_ENTRY(cuMemcpyHtoD),
      EMULATOR_ENTRY(cuMemcpyHtoDAsync),
      EMULATOR_ENTRY(cuMemsetD16),
      EMULATOR_ENTRY(cuMemsetD16Async),
      EMULATOR_ENTRY(cuMemsetD32),
      EMULATOR_ENTRY(cuMemsetD32Async),
      EMULATOR_ENTRY(cuMemsetD8),
      EMULATOR_ENTRY(cuMemsetD8Async),
      EMULATOR_ENTRY(cuModuleEnumerateFunctions),
      EMULATOR_ENTRY(cuModuleGetFunction),
      EMULATOR_ENTRY(cuModuleGetFunctionCount),
      EMULATOR_ENTRY(cuModuleGetGlobal),
      EMULATOR_ENTRY(cuModuleGetLoadingMode),
      EMULATOR_ENTRY(cuModuleLoad),
      EMULATOR_ENTRY(cuModuleLoadData),
      EMULATOR_ENTRY(cuModuleLoadDataEx),
      EMULATOR_ENTRY(cuModuleLoadFatBinary),
      EMULATOR_ENTRY(cuModuleUnload),
      EMULATOR_ENTRY(cuOccupancyAvailableDynamicSMemPerBlock),
      EMULATOR_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor),
      EMULATOR_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags),
      EMULATOR_ENTRY(cuOccupancyMaxPotentialBlockSize),
      EMULATOR_ENTRY(cuPointerGetAttribute),
      EMULATOR_ENTRY(cuPointerGetAttributes),
      EMULATOR_ENTRY(cuProfilerStart),
      EMULATOR_ENTRY(cuProfilerStop),
      EMULATOR_ENTRY(cuStreamAddCallback),
      EMULATOR_ENTRY(cuStreamCreate),
      EMULATOR_ENTRY(cuStreamCreateWithPriority),
      EMULATOR_ENTRY(cuStreamDestroy),
      EMULATOR_ENTRY(cuStreamGetCtx),
      EMULATOR_ENTRY(cuStreamGetFlags),
      EMULATOR_ENTRY(cuStreamGetPriority),
      EMULATOR_ENTRY(cuStreamIsCapturing),
      EMULATOR_ENTRY(cuStreamQuery),
      EMULATOR_ENTRY(cuStreamSynchronize),
      EMULATOR_ENTRY(cuStreamWaitEvent),
  };
  return table;
}
#undef EMULATOR_ENTRY

const Entry* find(std::string_view name, int version) {
  const auto& table = entries();
  const auto found = std::ranges::find_if(
      table, [&](const Entry& entry) { return entry.name == name && version >= entry.since; });
  return found == table.end() ? nullptr : &*found;
}

constexpr cuuint64_t kFlags =
    CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::require;

CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  return answer([&] {
    require(symbol != nullptr && function != nullptr && (flags & ~emulator::api::kFlags) == 0);
    const emulator::api::Entry* found = emulator::api::find(symbol, version);
    *function = found == nullptr ? nullptr : found->function;
    if (status != nullptr) {
      *status =
          found == nullptr ? CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND : CU_GET_PROC_ADDRESS_SUCCESS;
    }
    require(found != nullptr, CUDA_ERROR_NOT_FOUND);
  });
}

CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}
