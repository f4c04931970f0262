#include "api/copy_request.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "api/activity_record.h"
#include "api/error_translation.h"
#include "runtime/host_pointer.h"

namespace emulator::api {
namespace {

// Pageable memory up to this size is copied aside, so that the program may reuse it at once; CUDA
// does the same.
constexpr std::size_t kStagedBytes = std::size_t{64} << 10;

// What the program says of an address.
enum class Side : std::uint8_t { device, host, either };

// The bytes of one end: rows of the copy's width, `row_pitch` apart, in slices `slice_pitch` apart.
struct Region {
  std::uint64_t address = 0;
  Side side = Side::either;
  std::size_t row_pitch = 0;
  std::size_t slice_pitch = 0;
};

struct Extent {
  std::size_t width = 0;  // in bytes
  std::size_t height = 1;
  std::size_t depth = 1;

  [[nodiscard]] bool is_empty() const { return width == 0 || height == 0 || depth == 0; }
};

struct Request {
  Region to;
  Region from;
  Extent extent;
};

std::size_t product(std::size_t a, std::size_t b) {
  std::size_t result = 0;
  require(!__builtin_mul_overflow(a, b, &result));
  return result;
}

std::size_t sum(std::size_t a, std::size_t b) {
  std::size_t result = 0;
  require(!__builtin_add_overflow(a, b, &result));
  return result;
}

// From the first byte to behind the last one.
std::size_t span_of(const Region& region, const Extent& extent) {
  return sum(sum(product(region.slice_pitch, extent.depth - 1),
                 product(region.row_pitch, extent.height - 1)),
             extent.width);
}

bool is_known(const Context& context, const Region& region, const Extent& extent) {
  return context.memory.holds(region.address, span_of(region, extent));
}

// Refuses what cannot be memory of that side. A host pointer is the program's word; only what lies
// beside device memory is known to be wrong.
void require_region(const Context& context, const Region& region, const Extent& extent) {
  require(region.address != 0);
  if (is_known(context, region, extent)) return;
  require(region.side != Side::device &&
          !context.memory.touches(region.address, span_of(region, extent)));
}

// One end as CUDA_MEMCPY3D has it.
struct DescribedEnd {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  std::size_t x;
  std::size_t y;
  std::size_t z;
  std::size_t pitch;   // 0: rows without room between them
  std::size_t height;  // rows of a slice; 0: those of the copy
};

Region region_of(const DescribedEnd& end, const Extent& extent) {
  Region region;
  switch (end.type) {
    case CU_MEMORYTYPE_HOST:
      region = {reinterpret_cast<std::uint64_t>(end.host), Side::host, 0, 0};
      break;
    case CU_MEMORYTYPE_DEVICE:
      region = {end.device, Side::device, 0, 0};
      break;
    case CU_MEMORYTYPE_UNIFIED:
      region = {end.device, Side::either, 0, 0};
      break;
    case CU_MEMORYTYPE_ARRAY:
      throw Refusal(CUDA_ERROR_NOT_SUPPORTED);
    default:
      throw Refusal(CUDA_ERROR_INVALID_VALUE);
  }
  const std::size_t row_end = sum(end.x, extent.width);
  const std::size_t slice_end = sum(end.y, extent.height);
  require(end.pitch == 0 || end.pitch >= row_end);
  require(end.height == 0 || end.height >= slice_end);
  region.row_pitch = end.pitch == 0 ? row_end : end.pitch;
  region.slice_pitch = product(region.row_pitch, end.height == 0 ? slice_end : end.height);
  region.address +=
      sum(sum(product(end.z, region.slice_pitch), product(end.y, region.row_pitch)), end.x);
  return region;
}

void move(const Region& to, const Region& from, const Extent& extent) {
  for (std::size_t z = 0; z < extent.depth; ++z) {
    for (std::size_t y = 0; y < extent.height; ++y) {
      std::memmove(runtime::host_pointer(to.address + z * to.slice_pitch + y * to.row_pitch),
                   runtime::host_pointer<const void>(from.address + z * from.slice_pitch +
                                                     y * from.row_pitch),
                   extent.width);
    }
  }
}

template <typename T>
void fill_rows(const CUDA_MEMSET_NODE_PARAMS& fill) {
  for (std::size_t y = 0; y < fill.height; ++y) {
    std::fill_n(runtime::host_pointer<T>(fill.dst + y * fill.pitch), fill.width,
                static_cast<T>(fill.value));
  }
}

Request read(const CUDA_MEMCPY3D& copy) {
  require(copy.srcLOD == 0 && copy.dstLOD == 0);
  require(copy.reserved0 == nullptr && copy.reserved1 == nullptr);
  const Extent extent{copy.WidthInBytes, copy.Height, copy.Depth};
  return {region_of({copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstXInBytes, copy.dstY,
                     copy.dstZ, copy.dstPitch, copy.dstHeight},
                    extent),
          region_of({copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcXInBytes, copy.srcY,
                     copy.srcZ, copy.srcPitch, copy.srcHeight},
                    extent),
          extent};
}

// As profilers call a copy: from and to memory of the host or the device.
const char* kind_of(bool from_device, bool to_device) {
  if (from_device) return to_device ? "DtoD" : "DtoH";
  return to_device ? "HtoD" : "HtoH";
}

// Does it, and writes it down where the program is recorded.
void carry_out(const char* kind, const Extent& extent, const std::function<void()>& work) {
  const std::int64_t start = record_time();
  work();
  if (ActivityRecord* const record = ActivityRecord::get()) {
    record->transfer(kind, extent.width * extent.height * extent.depth, start, record_time());
  }
}

std::function<void()> copying(Context& context, const Request& request) {
  require_region(context, request.to, request.extent);
  require_region(context, request.from, request.extent);
  // Memory may be freed in stream order between the call and the copy.
  const bool to_known = is_known(context, request.to, request.extent);
  const bool from_known = is_known(context, request.from, request.extent);
  const auto is_device = [](const Region& region, bool known) {
    return region.side == Side::device || (region.side == Side::either && known);
  };
  const char* kind = kind_of(is_device(request.from, from_known), is_device(request.to, to_known));
  return [&context, request, to_known, from_known, kind] {
    const auto& [to, from, extent] = request;
    require(!to_known || is_known(context, to, extent), CUDA_ERROR_ILLEGAL_ADDRESS);
    require(!from_known || is_known(context, from, extent), CUDA_ERROR_ILLEGAL_ADDRESS);
    carry_out(kind, request.extent, [&request] { move(request.to, request.from, request.extent); });
  };
}

// Rows without room between them, in memory that is kept as long as it is needed.
struct Staged {
  std::shared_ptr<std::vector<std::byte>> bytes;
  Region region;
};

Staged stage(const Region& from, const Extent& extent) {
  auto bytes =
      std::make_shared<std::vector<std::byte>>(extent.width * extent.height * extent.depth);
  const Region region{reinterpret_cast<std::uint64_t>(bytes->data()), Side::host, extent.width,
                      extent.width * extent.height};
  move(region, from, extent);
  return {std::move(bytes), region};
}

}  // namespace

CUDA_MEMCPY3D linear_copy(const End& to, const End& from, std::size_t bytes) {
  CUDA_MEMCPY3D copy{};
  copy.dstMemoryType = to.type;
  copy.dstHost = runtime::host_pointer(to.address);
  copy.dstDevice = to.address;
  copy.srcMemoryType = from.type;
  copy.srcHost = runtime::host_pointer<const void>(from.address);
  copy.srcDevice = from.address;
  copy.WidthInBytes = bytes;
  copy.Height = 1;
  copy.Depth = 1;
  return copy;
}

CUDA_MEMCPY3D as_3d(const CUDA_MEMCPY2D& copy) {
  CUDA_MEMCPY3D result{};
  result.dstXInBytes = copy.dstXInBytes;
  result.dstY = copy.dstY;
  result.dstMemoryType = copy.dstMemoryType;
  result.dstHost = copy.dstHost;
  result.dstDevice = copy.dstDevice;
  result.dstArray = copy.dstArray;
  result.dstPitch = copy.dstPitch;
  result.srcXInBytes = copy.srcXInBytes;
  result.srcY = copy.srcY;
  result.srcMemoryType = copy.srcMemoryType;
  result.srcHost = copy.srcHost;
  result.srcDevice = copy.srcDevice;
  result.srcArray = copy.srcArray;
  result.srcPitch = copy.srcPitch;
  result.WidthInBytes = copy.WidthInBytes;
  result.Height = copy.Height;
  result.Depth = 1;
  return result;
}

CUDA_MEMSET_NODE_PARAMS linear_fill(CUdeviceptr to, unsigned value, unsigned element_bytes,
                                    std::size_t count) {
  return {to, 0, value, element_bytes, count, 1};
}

std::function<void()> copying(Context& context, const CUDA_MEMCPY3D& copy) {
  const Request request = read(copy);
  if (request.extent.is_empty()) return [] {};
  return copying(context, request);
}

AsyncCopy copying_async(Context& context, const CUDA_MEMCPY3D& copy) {
  const Request request = read(copy);
  const Extent& extent = request.extent;
  if (extent.is_empty()) return {[] {}, false};
  std::function<void()> work = copying(context, request);
  const bool to_pageable = !is_known(context, request.to, extent);
  const bool from_pageable = !is_known(context, request.from, extent);
  // The span of a region that is known to be memory is no overflow.
  const bool is_small = span_of(request.from, extent) <= kStagedBytes;
  if (to_pageable || !from_pageable || !is_small) {
    return {std::move(work), to_pageable || from_pageable};
  }
  const Staged staged = stage(request.from, extent);
  return {[keep = staged.bytes,
           staged_work = copying(context, {request.to, staged.region, extent})] { staged_work(); },
          false};
}

std::function<void()> filling(Context& context, const CUDA_MEMSET_NODE_PARAMS& fill) {
  require(fill.elementSize == 1 || fill.elementSize == 2 || fill.elementSize == 4);
  const Extent extent{product(fill.width, fill.elementSize), fill.height, 1};
  if (extent.is_empty()) return [] {};
  require(fill.dst % fill.elementSize == 0);
  require(fill.height == 1 || (fill.pitch % fill.elementSize == 0 && fill.pitch >= extent.width));
  const Region region{fill.dst, Side::device, fill.pitch, 0};
  require(is_known(context, region, extent));
  return [&context, fill, region, extent] {
    require(is_known(context, region, extent), CUDA_ERROR_ILLEGAL_ADDRESS);
    carry_out("fill", extent, [&] {
      if (fill.elementSize == 1) fill_rows<std::uint8_t>(fill);
      if (fill.elementSize == 2) fill_rows<std::uint16_t>(fill);
      if (fill.elementSize == 4) fill_rows<std::uint32_t>(fill);
    });
  };
}

}  // namespace emulator::api
