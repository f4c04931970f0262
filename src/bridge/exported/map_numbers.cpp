#include "bridge/exported/map_numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace autokernel::bridge {

std::string map_numbers(const driver::TensorMapLayout& layout) {
  // Of encoding_numbers(), in its order, what CUDA has numbers of its own for.
  const auto numbers = driver::encoding_numbers(layout);
  constexpr std::size_t kType = 1;
  constexpr std::size_t kInterleave = 22;
  const driver::Im2col im2col = layout.im2col.value_or(driver::Im2col{});
  return fmt::format(
      "{}, {}, {}, {{{}}}, {{{}}}, {{{}}}, {{{}}}, {}, {}, {}, {}, {{{}}}, {{{}}}, {}, {}",
      layout.im2col ? 1 : 0, numbers[kType], layout.rank, fmt::join(layout.dims, ", "),
      fmt::join(layout.strides, ", "), fmt::join(layout.box, ", "),
      fmt::join(layout.element_strides, ", "), numbers[kInterleave], numbers[kInterleave + 1],
      numbers[kInterleave + 2], numbers[kInterleave + 3], fmt::join(im2col.lower, ", "),
      fmt::join(im2col.upper, ", "), im2col.channels, im2col.pixels);
}

}  // namespace autokernel::bridge
