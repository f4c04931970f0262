// A copy of a kernel's arguments, laid out as the kernel reads them.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "runtime/low_memory.h"

namespace emulator::api {

class KernelParameters {
 public:
  explicit KernelParameters(std::uint64_t bytes)
      : lines_((bytes + sizeof(Line) - 1) / sizeof(Line) + 1, Lines::allocator_type(place())),
        bytes_(bytes) {}
  KernelParameters(const KernelParameters& other)
      : lines_(other.lines_, Lines::allocator_type(place())), bytes_(other.bytes_) {}
  KernelParameters(KernelParameters&&) = default;
  KernelParameters& operator=(const KernelParameters&) = default;
  KernelParameters& operator=(KernelParameters&&) = default;
  ~KernelParameters() = default;

  [[nodiscard]] std::uint8_t* data() { return lines_.front().bytes.data(); }
  [[nodiscard]] std::span<const std::uint8_t> span() const {
    return {lines_.front().bytes.data(), bytes_};
  }

 private:
  // Parameters of a tensor map's alignment lie at it.
  struct alignas(64) Line {
    std::array<std::uint8_t, 64> bytes;
  };
  using Lines = std::pmr::vector<Line>;

  // LLVM keeps addresses of parameters in 32 bits where it is asked for short pointers, as Triton
  // asks it.
  static std::pmr::memory_resource* place() { return &runtime::low_memory(); }

  Lines lines_;
  std::uint64_t bytes_;
};

}  // namespace emulator::api
