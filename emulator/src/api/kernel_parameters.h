// A copy of a kernel's arguments, laid out as the kernel reads them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace emulator::api {

class KernelParameters {
 public:
  explicit KernelParameters(std::uint64_t bytes)
      : lines_((bytes + sizeof(Line) - 1) / sizeof(Line) + 1), bytes_(bytes) {}
  [[nodiscard]] std::uint8_t* data() { return lines_.front().bytes.data(); }
  [[nodiscard]] std::span<const std::uint8_t> span() const {
    return {lines_.front().bytes.data(), bytes_};
  }

 private:
  // Parameters of a tensor map's alignment lie at it.
  struct alignas(64) Line {
    std::array<std::uint8_t, 64> bytes;
  };

  std::vector<Line> lines_;
  std::uint64_t bytes_;
};

}  // namespace emulator::api
