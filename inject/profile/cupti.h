// What we use of CUPTI, NVIDIA's library that tells what ran on a GPU. Declared here, since no
// header of its is needed where the library is found at run time. The numbers and places of fields
// are those of cupti_activity.h, cupti_callbacks.h, cupti_result.h and cupti_driver_cbid.h of
// CUDA 11.8, 12.4 and 13.0; tests/inject compares them with the headers where it finds some.
#pragma once

#include <cstddef>
#include <cstdint>

namespace recording::cupti {

// What CUPTI 11.8 calls its own version. Records of older ones say less.
inline constexpr std::uint32_t kOldestVersion = 18;

enum Result : std::int32_t {
  kSuccess = 0,
  kMaxLimitReached = 12,  // no further record in a buffer
  kNotInitialized = 15,
  kVirtualizedDevice = 33,
  kInsufficientPrivileges = 35,
  kOldProfilerInitialized = 36,
  kMultipleSubscribers = 39,
  kVirtualizedDevicePrivileges = 40,
  kConfidentialComputing = 41,
};

enum ActivityKind : std::uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kConcurrentKernel = 10,
  kPeerMemcpy = 22,  // MEMCPY2
};

inline constexpr std::uint32_t kFlushForced = 1;

enum Domain : std::uint32_t { kDriverApi = 1 };
enum Site : std::uint32_t { kEnter = 0, kExit = 1 };

// Functions of the driver, as callbacks number them.
enum DriverCall : std::uint32_t {
  kContextDestroy = 11,
  kLaunch = 115,
  kLaunchGrid = 116,
  kLaunchGridAsync = 117,
  kLaunchKernel = 307,
  kContextDestroyV2 = 322,
  kPrimaryContextRelease = 387,
  kPrimaryContextReset = 389,
  kLaunchKernelPerThread = 442,
  kLaunchCooperative = 477,
  kLaunchCooperativePerThread = 478,
  kLaunchCooperativeMultiDevice = 480,
  kBeginCapture = 495,
  kBeginCapturePerThread = 496,
  kGraphLaunch = 514,
  kGraphLaunchPerThread = 515,
  kBeginCaptureV2 = 539,
  kBeginCaptureV2PerThread = 540,
  kPrimaryContextReleaseV2 = 544,
  kPrimaryContextResetV2 = 545,
  kLaunchKernelEx = 652,
  kLaunchKernelExPerThread = 653,
  kBeginCaptureToGraph = 720,
  kBeginCaptureToGraphPerThread = 721,
};

// The beginnings of records, which later versions only added to: a kernel's is
// CUpti_ActivityKernel8 to 10 from 11.8 to 13.0.
struct [[gnu::packed]] Activity {
  std::uint32_t kind;
};

struct [[gnu::packed]] Kernel {
  std::uint32_t kind;
  std::uint8_t cache_config;
  std::uint8_t shared_memory_config;
  std::uint16_t registers_per_thread;
  std::uint32_t partitioned_cache_requested;
  std::uint32_t partitioned_cache_executed;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t completed;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::int32_t grid_x, grid_y, grid_z;
  std::int32_t block_x, block_y, block_z;
  std::int32_t static_shared;
  std::int32_t dynamic_shared;
  std::uint32_t local_per_thread;
  std::uint32_t local_total;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;
  void* reserved;
  std::uint64_t queued;
  std::uint64_t submitted;
  std::uint8_t launch_type;
  std::uint8_t carveout_requested_is_set;
  std::uint8_t carveout_requested;
  std::uint8_t padding;
  std::uint32_t shared_memory_executed;
  std::uint64_t graph_node;
  std::uint32_t shared_memory_limit;
  std::uint32_t graph;
};

struct [[gnu::packed]] Memcpy {
  std::uint32_t kind;
  std::uint8_t copy_kind;
  std::uint8_t source_kind;
  std::uint8_t target_kind;
  std::uint8_t flags;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint32_t runtime_correlation;
  std::uint32_t padding;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph;
};

struct [[gnu::packed]] PeerMemcpy {
  std::uint32_t kind;
  std::uint8_t copy_kind;
  std::uint8_t source_kind;
  std::uint8_t target_kind;
  std::uint8_t flags;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t source_device;
  std::uint32_t source_context;
  std::uint32_t target_device;
  std::uint32_t target_context;
  std::uint32_t correlation;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph;
};

struct [[gnu::packed]] Memset {
  std::uint32_t kind;
  std::uint32_t value;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint16_t flags;
  std::uint16_t memory_kind;
  std::uint32_t padding;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph;
};

// What a callback is told of a call.
struct CallbackData {
  Site site;
  const char* function_name;
  const void* parameters;
  const std::int32_t* result;  // only at the exit
  const char* symbol_name;
  void* context;
  std::uint32_t context_id;
  std::uint64_t*
      between;  // a number that the callback at the exit finds as that at the entry left it
  std::uint32_t correlation;
};

using Subscriber = void*;
using Callback = void (*)(void* user, Domain domain, std::uint32_t call, const void* data);
using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size,
                                 std::size_t* most_records);
using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                 std::size_t size, std::size_t valid);
using Timestamp = std::uint64_t (*)();

}  // namespace recording::cupti
