#include "autokernel/driver/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "driver/api.h"
#include "driver/status.h"

namespace autokernel::driver {
namespace {

// Giving back fails after a kernel fault, when the context is gone with all that was in it: nothing
// is left to do.
void note(CUresult /*status*/) {}

std::string megabytes(std::size_t bytes) {
  constexpr std::size_t kMega = 1U << 20U;
  return bytes < kMega ? std::to_string(bytes) + " bytes" : std::to_string(bytes / kMega) + " MiB";
}

constexpr const char* kFreeMemory =
    "end other users of the device, or choose smaller sizes in case.toml";

}  // namespace

Device::Device(const Driver& driver) : api_(&driver.api()), info_(&driver.info()) {
  CUdevice device = 0;
  check(*api_, api_->device_get(&device, info_->ordinal), "cuDeviceGet", "open " + info_->name);
  CUcontext context = nullptr;
  check(*api_, api_->primary_context_retain(&context, device), "cuDevicePrimaryCtxRetain",
        "make a context on " + info_->name,
        "check that no other process has the device exclusively");
  context_ = Owned<CUctx_st*>(
      context, [api = api_, device](CUctx_st*) { note(api->primary_context_release(device)); });
  make_current();
}

void Device::make_current() const {
  check(*api_, api_->context_set_current(context_.get()), "cuCtxSetCurrent",
        "use the context of " + info_->name);
}

Buffer Device::allocate(std::size_t bytes) const {
  CUdeviceptr address = 0;
  check(*api_, api_->memory_allocate(&address, bytes), "cuMemAlloc",
        "allocate " + megabytes(bytes) + " on " + info_->name, kFreeMemory);
  return {Owned<Address>(address, [api = api_](Address a) { note(api->memory_free(a)); }), bytes};
}

MappedBuffer Device::allocate_mapped(std::size_t bytes) const {
  require(api_->host_memory_allocate, "cuMemHostAlloc");
  require(api_->host_memory_device_pointer, "cuMemHostGetDevicePointer");
  require(api_->host_memory_free, "cuMemFreeHost");
  void* host = nullptr;
  check(*api_, api_->host_memory_allocate(&host, bytes, CU_MEMHOSTALLOC_DEVICEMAP),
        "cuMemHostAlloc", "allocate " + megabytes(bytes) + " of page-locked host memory",
        "raise the limit of locked memory (ulimit -l)");
  Owned<void*> owner(host, [api = api_](void* p) { note(api->host_memory_free(p)); });
  CUdeviceptr device = 0;
  check(*api_, api_->host_memory_device_pointer(&device, host, 0), "cuMemHostGetDevicePointer",
        "map host memory for " + info_->name);
  return {std::move(owner), device};
}

bool Device::can_share() const {
  return api_->shared_memory_handle != nullptr && api_->shared_memory_open != nullptr &&
         api_->shared_memory_close != nullptr && api_->memory_range != nullptr &&
         api_->copy_within_device != nullptr;
}

std::string Device::share(const Buffer& buffer) const {
  CUipcMemHandle handle{};
  if (!can_share() || api_->shared_memory_handle(&handle, buffer.address()) != CUDA_SUCCESS) {
    return {};
  }
  std::string name;
  for (const char byte : handle.reserved) {
    name += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return name;
}

std::optional<Buffer> Device::map_shared(const std::string& name) const {
  CUipcMemHandle handle{};
  if (!can_share() || name.size() != 2 * sizeof handle.reserved) return std::nullopt;
  for (std::size_t i = 0; i < sizeof handle.reserved; ++i) {
    unsigned byte = 0;
    const char* const digits = name.data() + 2 * i;
    const auto [end, status] = std::from_chars(digits, digits + 2, byte, 16);
    if (status != std::errc{} || end != digits + 2) return std::nullopt;
    handle.reserved[i] = static_cast<char>(byte);
  }
  CUdeviceptr address = 0;
  if (api_->shared_memory_open(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) !=
      CUDA_SUCCESS) {
    return std::nullopt;
  }
  Owned<Address> owner(address, [api = api_](Address a) { note(api->shared_memory_close(a)); });
  CUdeviceptr begin = 0;
  std::size_t bytes = 0;
  if (api_->memory_range(&begin, &bytes, address) != CUDA_SUCCESS) return std::nullopt;
  return Buffer{std::move(owner), begin + bytes - address};
}

Stream Device::make_stream() const {
  CUstream stream = nullptr;
  // Ordered after the copies, which use the default stream: a copy from pageable memory may come
  // back before its last bytes have reached the device.
  check(*api_, api_->stream_create(&stream, CU_STREAM_DEFAULT), "cuStreamCreate",
        "make a stream on " + info_->name);
  return {*api_, Owned<CUstream_st*>(
                     stream, [api = api_](CUstream_st* s) { note(api->stream_destroy(s)); })};
}

Event Device::make_event() const {
  CUevent event = nullptr;
  check(*api_, api_->event_create(&event, CU_EVENT_DEFAULT), "cuEventCreate",
        "make an event on " + info_->name);
  return {*api_,
          Owned<CUevent_st*>(event, [api = api_](CUevent_st* e) { note(api->event_destroy(e)); })};
}

Loading Device::load(std::span<const std::byte> image) const {
  constexpr std::size_t kLogBytes = 8192;
  std::array<char, kLogBytes> log{};
  std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER,
                                         CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  // The driver takes numbers in the place of pointers here, and writes the length back. The last
  // byte stays zero. NOLINTNEXTLINE(performance-no-int-to-ptr): it is never followed.
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(kLogBytes - 1)};
  CUmodule module = nullptr;
  const CUresult status = api_->module_load_data(
      &module, image.data(), static_cast<unsigned>(options.size()), options.data(), values.data());
  if (auto refused =
          check_code(*api_, status, "cuModuleLoadDataEx", "load a module on " + info_->name)) {
    // What the emulated device says of it as data is the same without the place.
    if (log[0] != '\0' && !refused->detail) refused->text = log.data();
    return *std::move(refused);
  }
  return Module(
      *api_, Owned<CUmod_st*>(module, [api = api_](CUmod_st* m) { note(api->module_unload(m)); }));
}

std::optional<Fault> Device::allow(const Kernel& kernel, const Shape& shape) const {
  // What every device has room for (CUDA C++ Programming Guide, "Thread Block Clusters").
  constexpr std::uint32_t kClusterWithoutAsking = 8;
  const auto set = [&](CUfunction_attribute attribute, std::uint32_t value,
                       const std::string& purpose) {
    return check_launch(
        *api_, api_->function_set_attribute(kernel.get(), attribute, static_cast<int>(value)),
        "cuFuncSetAttribute", purpose);
  };
  // Needed above 48 KiB (the same, "Shared Memory"), of which the kernel's static memory is a part
  // that is not known here.
  if (shape.shared_bytes > 0) {
    auto fault = set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shape.shared_bytes,
                     "let a kernel use " + std::to_string(shape.shared_bytes) +
                         " bytes of dynamic shared memory");
    if (fault) return fault;
  }
  if (shape.blocks_per_cluster() <= kClusterWithoutAsking) return std::nullopt;
  return set(
      CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1,
      "let a kernel have clusters of " + std::to_string(shape.blocks_per_cluster()) + " blocks");
}

void Device::copy_in(Address to, std::span<const std::byte> from) const {
  check(*api_, api_->copy_to_device(to, from.data(), from.size()), "cuMemcpyHtoD",
        "copy " + megabytes(from.size()) + " to " + info_->name);
}

void Device::copy_out(std::span<std::byte> to, Address from) const {
  check(*api_, api_->copy_to_host(to.data(), from, to.size()), "cuMemcpyDtoH",
        "copy " + megabytes(to.size()) + " from " + info_->name);
}

void Device::reset_persisting_l2() const {
  if (info_->emulated) return;
  require(api_->context_reset_persisting_l2, "cuCtxResetPersistingL2Cache");
  const CUresult status = api_->context_reset_persisting_l2();
  // Before capability 8.0 no line can be made to persist.
  if (status == CUDA_ERROR_NOT_SUPPORTED) return;
  check(*api_, status, "cuCtxResetPersistingL2Cache",
        "reset the persisting lines of the L2 of " + info_->name);
}

std::string Device::whereabouts() const {
  if (api_->emu_whereabouts == nullptr) return {};
  constexpr std::size_t kLongest = 1024;
  std::array<char, kLongest> text{};
  api_->emu_whereabouts(text.data(), text.size());
  return text.data();
}

void Device::order_warps(WarpOrder order) const {
  if (api_->emu_warp_order == nullptr) return;
  api_->emu_warp_order(order == WarpOrder::descending ? EMU_WARPS_DESCENDING : EMU_WARPS_ASCENDING);
}

void Device::refuse_device_malloc() const {
  require(api_->context_set_limit, "cuCtxSetLimit");
  check(*api_, api_->context_set_limit(CU_LIMIT_MALLOC_HEAP_SIZE, 0), "cuCtxSetLimit",
        "set the heap of device-side malloc to 0 on " + info_->name);
}

Shape filling_shape(const Device& device) {
  constexpr std::uint32_t kThreads = 256;
  constexpr std::uint32_t kBlocksPerMultiprocessor = 8;
  Shape shape;
  shape.grid[0] = kBlocksPerMultiprocessor *
                  static_cast<std::uint32_t>(std::max(1, device.info().multiprocessors));
  shape.block[0] = kThreads;
  return shape;
}

}  // namespace autokernel::driver
