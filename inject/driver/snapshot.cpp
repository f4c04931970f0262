#include "driver/snapshot.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "driver/memory_range.h"
#include "driver/real_driver.h"

namespace autokernel::inject {
namespace {

// As much as a kernel that misses its tensors by a few rows or tiles reaches.
constexpr std::size_t kAround = 4096;
constexpr std::chrono::seconds kPatience{20};
constexpr std::chrono::microseconds kPause{20};

}  // namespace

Surroundings::Surroundings(const std::vector<ReplacedTensor>& tensors,
                           std::vector<CUdeviceptr> addresses)
    : addresses_(std::move(addresses)) {
  std::vector<std::pair<CUdeviceptr, CUdeviceptr>> all;  // begin and end of each
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    const CUdeviceptr end = addresses_[i] + tensors[i].bytes;
    const MemoryRange memory =
        memory_at(addresses_[i]).value_or(MemoryRange{addresses_[i], tensors[i].bytes});
    const CUdeviceptr before = std::min<CUdeviceptr>(kAround, addresses_[i] - memory.begin);
    const CUdeviceptr behind = std::min<CUdeviceptr>(kAround, memory.end() - end);
    all.emplace_back(addresses_[i] - before, end + behind);
  }
  std::ranges::sort(all);
  for (const auto& [begin, end] : all) {
    if (!parts_.empty() && begin <= parts_.back().begin + parts_.back().bytes) {
      Part& last = parts_.back();
      last.bytes = std::max<std::size_t>(last.bytes, end - last.begin);
    } else {
      parts_.push_back({begin, end - begin});
    }
  }
}

Surroundings::Place Surroundings::place_of(std::size_t tensor) const {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const std::size_t offset = addresses_[tensor] - parts_[part].begin;
    if (addresses_[tensor] >= parts_[part].begin && offset < parts_[part].bytes) {
      return {part, offset};
    }
  }
  return {0, 0};
}

Bytes tensor_in(const Snapshot& snapshot, const Surroundings& surroundings, std::size_t tensor,
                const ReplacedTensor& what) {
  const auto [part, offset] = surroundings.place_of(tensor);
  const auto begin = snapshot[part].begin() + static_cast<std::ptrdiff_t>(offset);
  return {begin, begin + static_cast<std::ptrdiff_t>(what.bytes)};
}

void put_tensor(Snapshot& snapshot, const Surroundings& surroundings, std::size_t tensor,
                const Bytes& bytes) {
  const auto [part, offset] = surroundings.place_of(tensor);
  std::memcpy(snapshot[part].data() + offset, bytes.data(), bytes.size());
}

bool is_done(CUstream stream) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    const CUresult result = AUTOKERNEL_REAL(cuStreamQuery)(stream);
    if (result != CUDA_ERROR_NOT_READY) return result == CUDA_SUCCESS;
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(kPause);
  }
}

std::optional<Snapshot> taken(const Surroundings& surroundings, CUstream stream) {
  Snapshot snapshot;
  for (const Surroundings::Part& part : surroundings.parts()) {
    Bytes& bytes = snapshot.emplace_back(part.bytes);
    if (AUTOKERNEL_REAL(cuMemcpyDtoHAsync)(bytes.data(), part.begin, part.bytes, stream) !=
        CUDA_SUCCESS) {
      return std::nullopt;
    }
  }
  if (!is_done(stream)) return std::nullopt;
  return snapshot;
}

bool put_back(const Snapshot& snapshot, const Surroundings& surroundings, CUstream stream) {
  for (std::size_t i = 0; i < snapshot.size(); ++i) {
    const Surroundings::Part& part = surroundings.parts()[i];
    if (AUTOKERNEL_REAL(cuMemcpyHtoDAsync)(part.begin, snapshot[i].data(), part.bytes, stream) !=
        CUDA_SUCCESS) {
      return false;
    }
  }
  return is_done(stream);
}

}  // namespace autokernel::inject
