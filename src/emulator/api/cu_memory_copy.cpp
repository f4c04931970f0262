// Copies and fills.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "emulator/api/answer.h"
#include "emulator/api/driver.h"
#include "emulator/runtime/host_pointer.h"

namespace emulator::api {
namespace {

// Pageable memory up to this size is copied aside, so that the program may reuse it at once; CUDA
// does the same.
constexpr std::size_t kStagedBytes = std::size_t{64} << 10;

enum class Side : std::uint8_t { device, host, either };

struct Place {
  std::uint64_t address;
  Side side;
};

Place device(CUdeviceptr address) { return {address, Side::device}; }
Place host(const void* pointer) { return {reinterpret_cast<std::uint64_t>(pointer), Side::host}; }
Place either(CUdeviceptr address) { return {address, Side::either}; }

bool is_known(const Context& context, const Place& place, std::size_t bytes) {
  return context.memory.holds(place.address, bytes);
}

// Refuses what cannot be memory of that side. A host pointer is the program's word; only what lies
// beside device memory is known to be wrong.
void require_place(const Context& context, const Place& place, std::size_t bytes) {
  require(place.address != 0);
  if (is_known(context, place, bytes)) return;
  require(place.side != Side::device && !context.memory.touches(place.address, bytes));
}

// The copy itself. Memory may have been freed in stream order since the call.
std::function<void()> copying(Context& context, const Place& to, const Place& from,
                              std::size_t bytes) {
  const auto checked = [&](const Place& place) {
    return Place{place.address, is_known(context, place, bytes) ? Side::device : Side::host};
  };
  return [&context, to = checked(to), from = checked(from), bytes] {
    for (const Place& place : {to, from}) {
      require(place.side == Side::host || is_known(context, place, bytes),
              CUDA_ERROR_ILLEGAL_ADDRESS);
    }
    std::memmove(runtime::host_pointer(to.address), runtime::host_pointer<const void>(from.address),
                 bytes);
  };
}

void copy(const Place& to, const Place& from, std::size_t bytes) {
  const auto context = current_context();
  if (bytes == 0) return;
  require_place(*context, to, bytes);
  require_place(*context, from, bytes);
  context->carry_out(copying(*context, to, from, bytes));
}

void copy_async(const Place& to, const Place& from, std::size_t bytes, CUstream handle) {
  const auto context = current_context();
  const std::shared_ptr<Stream> stream = context->stream(handle);
  if (bytes == 0) return;
  require_place(*context, to, bytes);
  require_place(*context, from, bytes);
  const bool to_pageable = !is_known(*context, to, bytes);
  const bool from_pageable = !is_known(*context, from, bytes);
  if (from_pageable && !to_pageable && bytes <= kStagedBytes) {
    const auto* begin = runtime::host_pointer<const std::uint8_t>(from.address);
    auto staged = std::make_shared<const std::vector<std::uint8_t>>(begin, begin + bytes);
    context->submit(*stream, [context = context.get(), to, staged] {
      require(is_known(*context, to, staged->size()), CUDA_ERROR_ILLEGAL_ADDRESS);
      std::memcpy(runtime::host_pointer(to.address), staged->data(), staged->size());
    });
    return;
  }
  const Ticket ticket = context->submit(*stream, copying(*context, to, from, bytes));
  if (to_pageable || from_pageable) context->synchronize(ticket);
}

template <typename T>
std::function<void()> filling(Context& context, CUdeviceptr address, T value, std::size_t count) {
  require(count <= SIZE_MAX / sizeof(T));
  const std::size_t bytes = count * sizeof(T);
  require(address % sizeof(T) == 0 && context.memory.holds(address, bytes));
  return [&context, address, value, count, bytes] {
    require(context.memory.holds(address, bytes), CUDA_ERROR_ILLEGAL_ADDRESS);
    std::fill_n(runtime::host_pointer<T>(address), count, value);
  };
}

template <typename T>
void fill(CUdeviceptr address, T value, std::size_t count) {
  const auto context = current_context();
  if (count == 0) return;
  context->carry_out(filling(*context, address, value, count));
}

template <typename T>
void fill_async(CUdeviceptr address, T value, std::size_t count, CUstream handle) {
  const auto context = current_context();
  const std::shared_ptr<Stream> stream = context->stream(handle);
  if (count == 0) return;
  context->submit(*stream, filling(*context, address, value, count));
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::copy;
using emulator::api::copy_async;
using emulator::api::device;
using emulator::api::either;
using emulator::api::fill;
using emulator::api::fill_async;
using emulator::api::host;

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return answer([&] { copy(either(to), either(from), bytes); });
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return answer([&] { copy_async(either(to), either(from), bytes, stream); });
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return answer([&] { copy(device(to), host(from), bytes); });
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return answer([&] { copy(host(to), device(from), bytes); });
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return answer([&] { copy(device(to), device(from), bytes); });
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return answer([&] { copy_async(device(to), host(from), bytes, stream); });
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return answer([&] { copy_async(host(to), device(from), bytes, stream); });
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return answer([&] { copy_async(device(to), device(from), bytes, stream); });
}

CUresult cuMemsetD8(CUdeviceptr address, unsigned char value, size_t count) {
  return answer([&] { fill(address, value, count); });
}

CUresult cuMemsetD16(CUdeviceptr address, unsigned short value, size_t count) {
  return answer([&] { fill(address, value, count); });
}

CUresult cuMemsetD32(CUdeviceptr address, unsigned int value, size_t count) {
  return answer([&] { fill(address, value, count); });
}

CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t count, CUstream stream) {
  return answer([&] { fill_async(address, value, count, stream); });
}

CUresult cuMemsetD16Async(CUdeviceptr address, unsigned short value, size_t count,
                          CUstream stream) {
  return answer([&] { fill_async(address, value, count, stream); });
}

CUresult cuMemsetD32Async(CUdeviceptr address, unsigned int value, size_t count, CUstream stream) {
  return answer([&] { fill_async(address, value, count, stream); });
}
