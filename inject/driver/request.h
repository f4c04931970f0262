// Which launches are to be captured, as the file says that AUTOKERNEL_CAPTURE names.
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace autokernel::inject {

struct Shape {
  std::array<unsigned, 3> grid{};
  std::array<unsigned, 3> block{};
  unsigned shared_bytes = 0;  // dynamic

  friend auto operator<=>(const Shape&, const Shape&) = default;
};

// One line of the file: its fields are separated by tabs.
//   NAME  GRID x,y,z or *  BLOCK x,y,z or *  SHARED or *  OCCURRENCES n,n,...
struct Wanted {
  std::string name;                     // as the driver has it
  std::vector<unsigned> grid, block;    // empty: any
  long shared_bytes = -1;               // -1: any
  std::set<std::uint64_t> occurrences;  // of such launches in this process, from 0

  [[nodiscard]] bool matches(const Shape& shape) const;
};

struct Request {
  std::string folder;            // AUTOKERNEL_CAPTURE_DIR
  std::uint64_t most_bytes = 0;  // that may be written of memory, in all
  std::vector<Wanted> wanted;
};

// Of this process; never destroyed. Nothing is wanted where the environment asks for nothing.
[[nodiscard]] const Request& request();

}  // namespace autokernel::inject
