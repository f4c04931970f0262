// What messages call a line of the PTX.
#pragma once

#include <cstdint>
#include <string>

namespace emulator::runtime {

// Of one module. The runtime knows lines of PTX alone; who loaded it may know the source's.
class LineNames {
 public:
  LineNames() = default;
  LineNames(const LineNames&) = delete;
  LineNames& operator=(const LineNames&) = delete;
  virtual ~LineNames() = default;
  // "kernel.cu:27", or "PTX line 41" where the source's line is unknown. Called by several threads
  // at a time.
  [[nodiscard]] virtual std::string place(std::uint32_t ptx_line) const = 0;
  // "kernel.cu:27 (PTX line 41)".
  [[nodiscard]] virtual std::string name(std::uint32_t ptx_line) const = 0;
};

// "PTX line 41" where nobody has names, which is what null stands for.
[[nodiscard]] inline std::string line_name(const LineNames* names, std::uint32_t ptx_line) {
  return names == nullptr ? "PTX line " + std::to_string(ptx_line) : names->name(ptx_line);
}

[[nodiscard]] inline std::string line_place(const LineNames* names, std::uint32_t ptx_line) {
  return names == nullptr ? "PTX line " + std::to_string(ptx_line) : names->place(ptx_line);
}

}  // namespace emulator::runtime
