#include "driver/own_kernel.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "driver/real_driver.h"
#include "driver/relaxed_capture_mode.h"

namespace autokernel::inject {
namespace {

#define AUTOKERNEL_TRY(call)                                         \
  do {                                                               \
    const CUresult autokernel_result = (call);                       \
    if (autokernel_result != CUDA_SUCCESS) return autokernel_result; \
  } while (false)

// Copies of it are handed over with the launch.
using Map = std::array<unsigned char, 128>;
constexpr std::size_t kMapAlignment = 128;  // of all versions of CUDA
// From one value of a workspace to the next.
constexpr unsigned char kNoiseStep = 57;

// The code of a replacement as one stream of one context has it.
class Instance {
 public:
  explicit Instance(const Replacement& replacement) : replacement_(replacement) {}

  [[nodiscard]] CUresult load();
  [[nodiscard]] CUresult launch(const GivenOperands& operands, CUstream stream);
  [[nodiscard]] const std::vector<CUfunction>& functions() const { return functions_; }

 private:
  struct Object {
    CUdeviceptr address, initial;
    std::size_t bytes;
  };
  [[nodiscard]] CUresult find_functions();
  [[nodiscard]] bool takes(CUfunction function, const OwnLaunch& launch) const;
  [[nodiscard]] CUresult keep_objects();
  [[nodiscard]] CUresult restore(CUstream stream) const;
  [[nodiscard]] CUresult encode(const GivenOperands& operands);

  const Replacement& replacement_;
  CUmodule module_ = nullptr;
  std::vector<CUfunction> functions_;  // of each launch
  std::vector<Object> objects_;
  CUdeviceptr workspace_ = 0;
  std::vector<CUdeviceptr> encoded_for_;  // addresses of the tensors that the maps are for
  std::vector<Map> maps_;
};

CUresult Instance::load() {
  AUTOKERNEL_TRY(AUTOKERNEL_REAL(cuModuleLoadData)(&module_, replacement_.code.data()));
  AUTOKERNEL_TRY(find_functions());
  if (replacement_.workspace_bytes > 0) {
    AUTOKERNEL_TRY(AUTOKERNEL_REAL(cuMemAlloc)(&workspace_, replacement_.workspace_bytes));
  }
  return keep_objects();
}

// The driver reads as many parameters as the kernel has, and as many bytes of each, whatever it is
// given.
bool Instance::takes(CUfunction function, const OwnLaunch& launch) const {
  using Kind = OwnLaunch::Source::Kind;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
    const OwnLaunch::Source& source = launch.parameters[i];
    std::size_t given = sizeof(CUdeviceptr);
    if (source.kind == Kind::map) given = sizeof(Map);
    if (source.kind == Kind::parameter) given = replacement_.parameters[source.index].bytes.size();
    if (AUTOKERNEL_REAL(cuFuncGetParamInfo)(function, i, &offset, &bytes) != CUDA_SUCCESS ||
        bytes > given) {
      return false;
    }
  }
  return AUTOKERNEL_REAL(cuFuncGetParamInfo)(function, launch.parameters.size(), &offset, &bytes) !=
         CUDA_SUCCESS;
}

CUresult Instance::find_functions() {
  constexpr unsigned kPortableCluster = 8;  // blocks
  for (const OwnLaunch& launch : replacement_.launches) {
    CUfunction function = nullptr;
    AUTOKERNEL_TRY(AUTOKERNEL_REAL(cuModuleGetFunction)(&function, module_, launch.kernel.c_str()));
    AUTOKERNEL_TRY(AUTOKERNEL_REAL(cuFuncSetAttribute)(
        function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        static_cast<int>(launch.shape.shared_bytes)));
    if (launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > kPortableCluster) {
      AUTOKERNEL_TRY(AUTOKERNEL_REAL(cuFuncSetAttribute)(
          function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    }
    if (!takes(function, launch)) return CUDA_ERROR_INVALID_IMAGE;
    functions_.push_back(function);
  }
  return CUDA_SUCCESS;
}

CUresult Instance::keep_objects() {
  for (const std::string& name : replacement_.objects) {
    Object object{};
    AUTOKERNEL_TRY(
        AUTOKERNEL_REAL(cuModuleGetGlobal)(&object.address, &object.bytes, module_, name.c_str()));
    AUTOKERNEL_TRY(AUTOKERNEL_REAL(cuMemAlloc)(&object.initial, object.bytes));
    std::vector<unsigned char> bytes(object.bytes);
    AUTOKERNEL_TRY(AUTOKERNEL_REAL(cuMemcpyDtoH)(bytes.data(), object.address, object.bytes));
    AUTOKERNEL_TRY(AUTOKERNEL_REAL(cuMemcpyHtoD)(object.initial, bytes.data(), object.bytes));
    objects_.push_back(object);
  }
  return CUDA_SUCCESS;
}

CUresult Instance::restore(CUstream stream) const {
  for (const Object& object : objects_) {
    AUTOKERNEL_TRY(
        AUTOKERNEL_REAL(cuMemcpyDtoDAsync)(object.address, object.initial, object.bytes, stream));
  }
  if (replacement_.workspace_bytes == 0) return CUDA_SUCCESS;
  // Nothing is remembered from one launch to the next, as nothing is where kernels are judged.
  static std::atomic<unsigned char> noise{1};
  const unsigned char value =
      replacement_.workspace_is_zeroed ? 0 : noise.fetch_add(kNoiseStep, std::memory_order_relaxed);
  return AUTOKERNEL_REAL(cuMemsetD8Async)(workspace_, value, replacement_.workspace_bytes, stream);
}

// The order of a recipe's numbers: whether in im2col mode, type, rank, five extents, four strides,
// five of the box, five of the element strides, interleave, swizzle, promotion, fill; of im2col
// three lower corners, and in place of the box three upper ones, channels and pixels.
CUresult Instance::encode(const GivenOperands& operands) {
  if (replacement_.maps.empty() || encoded_for_ == operands.tensors) return CUDA_SUCCESS;
  maps_.assign(replacement_.maps.size(), {});
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    const MapRecipe& recipe = replacement_.maps[i];
    const bool of_workspace = recipe.buffer == operands.tensors.size();
    const CUdeviceptr begin = of_workspace ? workspace_ : operands.tensors[recipe.buffer];
    auto* const address = reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr): CUDA's
        begin + recipe.offset);
    const std::uint64_t* next = recipe.numbers.data();
    const auto number = [&] { return *next++; };
    const auto several = [&]<typename Value, std::size_t Count>(std::array<Value, Count> values) {
      for (Value& each : values) each = static_cast<Value>(number());
      return values;
    };
    const bool is_im2col = number() != 0;
    const auto type = static_cast<CUtensorMapDataType>(number());
    const auto rank = static_cast<cuuint32_t>(number());
    const auto extents = several(std::array<cuuint64_t, 5>{});
    const auto strides = several(std::array<cuuint64_t, 4>{});
    const auto box = several(std::array<cuuint32_t, 5>{});
    const auto steps = several(std::array<cuuint32_t, 5>{});
    const auto interleave = static_cast<CUtensorMapInterleave>(number());
    const auto swizzle = static_cast<CUtensorMapSwizzle>(number());
    const auto promotion = static_cast<CUtensorMapL2promotion>(number());
    const auto fill = static_cast<CUtensorMapFloatOOBfill>(number());
    const auto lower = several(std::array<int, 3>{});
    alignas(kMapAlignment) CUtensorMap map{};
    if (is_im2col) {
      const std::array<int, 3> upper = {static_cast<int>(box[0]), static_cast<int>(box[1]),
                                        static_cast<int>(box[2])};
      AUTOKERNEL_TRY(AUTOKERNEL_REAL(cuTensorMapEncodeIm2col)(
          &map, type, rank, address, extents.data(), strides.data(), lower.data(), upper.data(),
          box[3], box[4], steps.data(), interleave, swizzle, promotion, fill));
    } else {
      AUTOKERNEL_TRY(AUTOKERNEL_REAL(cuTensorMapEncodeTiled)(
          &map, type, rank, address, extents.data(), strides.data(), box.data(), steps.data(),
          interleave, swizzle, promotion, fill));
    }
    static_assert(sizeof map == sizeof(Map));
    std::memcpy(maps_[i].data(), &map, sizeof map);
  }
  encoded_for_ = operands.tensors;
  return CUDA_SUCCESS;
}

[[nodiscard]] std::vector<CUlaunchAttribute> attributes_of(const OwnLaunch& launch) {
  std::vector<CUlaunchAttribute> attributes;
  const auto add = [&](CUlaunchAttributeID id) -> CUlaunchAttributeValue& {
    attributes.push_back({});
    attributes.back().id = id;
    return attributes.back().value;
  };
  if (launch.cluster != kOne) {
    auto& extent = add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim;
    extent.x = launch.cluster[0];
    extent.y = launch.cluster[1];
    extent.z = launch.cluster[2];
  }
  if (launch.cooperative) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  if (launch.programmatic) {
    add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
        .programmaticStreamSerializationAllowed = 1;
  }
  return attributes;
}

CUresult Instance::launch(const GivenOperands& operands, CUstream stream) {
  AUTOKERNEL_TRY(encode(operands));
  AUTOKERNEL_TRY(restore(stream));
  for (std::size_t i = 0; i < replacement_.launches.size(); ++i) {
    const OwnLaunch& own = replacement_.launches[i];
    using Kind = OwnLaunch::Source::Kind;
    std::vector<void*> parameters;
    std::vector<CUdeviceptr> addresses(own.parameters.size());
    parameters.reserve(own.parameters.size());
    for (const OwnLaunch::Source& source : own.parameters) {
      CUdeviceptr& address = addresses[parameters.size()];
      address = (source.kind == Kind::tensor ? operands.tensors[source.index] : workspace_) +
                source.offset;
      const void* from = &address;
      if (source.kind == Kind::parameter) from = operands.parameters[source.index].data();
      if (source.kind == Kind::map) from = maps_[source.index].data();
      if (source.kind == Kind::number) from = source.number.data();
      parameters.push_back(const_cast<void*>(from));  // the driver only reads
    }
    std::vector<CUlaunchAttribute> attributes = attributes_of(own);
    CUlaunchConfig config{};
    config.gridDimX = own.shape.grid[0];
    config.gridDimY = own.shape.grid[1];
    config.gridDimZ = own.shape.grid[2];
    config.blockDimX = own.shape.block[0];
    config.blockDimY = own.shape.block[1];
    config.blockDimZ = own.shape.block[2];
    config.sharedMemBytes = own.shape.shared_bytes;
    config.hStream = stream;
    config.attrs = attributes.empty() ? nullptr : attributes.data();
    config.numAttrs = static_cast<unsigned>(attributes.size());
    AUTOKERNEL_TRY(
        AUTOKERNEL_REAL(cuLaunchKernelEx)(&config, functions_[i], parameters.data(), nullptr));
  }
  return CUDA_SUCCESS;
}

// By context, stream, thread and capture; 0 for those that need no instance of their own.
using Place =
    std::tuple<std::size_t, unsigned long long, std::uintptr_t, std::uintptr_t, std::uint64_t>;
// Each has a workspace; a program that records graphs without end is not to run out of memory.
constexpr std::size_t kMostInstances = 256;

struct Instances {
  std::mutex mutex;
  // No instance where the driver refused it: it would refuse it each time.
  std::map<Place, std::pair<CUresult, std::unique_ptr<Instance>>> by_place;
  std::set<CUfunction> functions;
};
Instances& instances() {
  static auto* const kept = new Instances;
  return *kept;
}

// The context by a number that no later one has.
[[nodiscard]] unsigned long long current_context() {
  CUcontext context = nullptr;
  unsigned long long id = 0;
  (void)AUTOKERNEL_REAL(cuCtxGetCurrent)(&context);
  if (AUTOKERNEL_REAL(cuCtxGetId)(context, &id) == CUDA_SUCCESS) return id;
  return reinterpret_cast<std::uintptr_t>(context);
}

[[nodiscard]] std::uint64_t capture_of(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  using Ask = CUresult(CUstream, CUstreamCaptureStatus*, cuuint64_t*, CUgraph*, const CUgraphNode**,
                       size_t*);
  static const auto ask = real("cuStreamGetCaptureInfo_v2", static_cast<Ask*>(nullptr));
  return ask(stream, &status, &id, nullptr, nullptr, nullptr) == CUDA_SUCCESS ? id : 0;
}

}  // namespace

CUresult launch_own(std::size_t replacement, const GivenOperands& operands, CUstream stream,
                    bool is_recorded) {
  const Replacement& what = replacements().all[replacement];
  Place place{replacement, current_context(), 0, 0, 0};
  if (what.workspace_bytes > 0 || !what.objects.empty()) {
    std::get<2>(place) = reinterpret_cast<std::uintptr_t>(stream);
    // Which stream that is, depends on the thread.
    if (stream == CU_STREAM_PER_THREAD) std::get<3>(place) = pthread_self();
    if (is_recorded) std::get<4>(place) = capture_of(stream);
  }
  const RelaxedCaptureMode relaxed;
  const std::lock_guard lock(instances().mutex);
  if (instances().by_place.size() >= kMostInstances && !instances().by_place.contains(place)) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  const auto [entry, is_new] = instances().by_place.try_emplace(place);
  auto& [result, instance] = entry->second;
  if (is_new) {
    instance = std::make_unique<Instance>(what);
    result = instance->load();
    if (result != CUDA_SUCCESS) instance.reset();
    if (instance != nullptr) {
      instances().functions.insert(instance->functions().begin(), instance->functions().end());
    }
  }
  return instance == nullptr ? result : instance->launch(operands, stream);
}

bool is_own(CUfunction function) {
  const std::lock_guard lock(instances().mutex);
  return instances().functions.contains(function);
}

}  // namespace autokernel::inject
