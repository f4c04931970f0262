// Which launches are to be replaced by which kernels, as a file says that `autokernel verify` and
// `apply` write (docs/replacement-format.md).
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "driver/request.h"

namespace autokernel::inject {

using Extents = std::array<unsigned, 3>;
inline constexpr Extents kOne = {1, 1, 1};

// A tensor of the case that the kernel was judged in.
struct ReplacedTensor {
  enum class Element : std::uint8_t { bits, f64, f32, f16, bf16 };

  std::size_t bytes = 0;
  std::size_t alignment = 1;  // that the kernel may count on
  bool is_written = false, is_read = false;
  Element element = Element::bits;  // bits: compared and never moved
  std::size_t element_bytes = 1;
  // How far an element may be from the original's: absolute + relative |it|.
  double absolute = 0, relative = 0;
};

// A parameter of the original: its bytes have to be these, but for the addresses among them.
struct ParameterPattern {
  struct Pointer {
    std::size_t at = 0;
    std::size_t tensor = 0;
    std::size_t offset = 0;  // bytes into the tensor
  };
  std::vector<unsigned char> bytes;
  std::vector<Pointer> pointers;
};

// What cuTensorMapEncodeTiled takes beside the address, or cuTensorMapEncodeIm2col.
struct MapRecipe {
  std::size_t buffer = 0;                   // a tensor; one behind the last: the workspace
  std::size_t offset = 0;                   // bytes
  std::array<std::uint64_t, 29> numbers{};  // docs/replacement-format.md has their order
};

// A launch of ours, and where its parameters come from.
struct OwnLaunch {
  struct Source {
    enum class Kind : std::uint8_t { tensor, parameter, workspace, map, number };
    Kind kind = Kind::tensor;
    std::size_t index = 0;   // of the tensor, of the original's parameter, of the map
    std::size_t offset = 0;  // bytes from the beginning of the tensor, or of the workspace
    std::array<unsigned char, 8> number{};  // a size
  };
  std::string kernel;
  Shape shape;
  Extents cluster = kOne;
  bool cooperative = false, programmatic = false;
  std::vector<Source> parameters;
};

struct Replacement {
  std::string name;  // of its case, for messages

  // The launches that are replaced: those of a kernel, or the calls for a product.
  std::string kernel;   // as the driver has it
  std::string image;    // digest of the code as it was loaded (image_digest.h)
  std::string product;  // as inject/profile/product.h has it; empty: launches of a kernel
  Shape shape;
  Extents cluster = kOne;
  bool cooperative = false;
  std::vector<ParameterPattern> parameters;

  std::vector<ReplacedTensor> tensors;
  std::string code;  // PTX or a cubin
  std::vector<OwnLaunch> launches;
  std::size_t workspace_bytes = 0;
  bool workspace_is_zeroed = false;
  std::vector<MapRecipe> maps;
  std::vector<std::string> objects;  // of the module, which are put back before each launch
};

struct Replacements {
  std::vector<Replacement> all;
  bool checks = false;  // whether results are compared with the original's
  // Not empty: one launch alone of each replacement is compared, drawn from so many.
  std::vector<std::uint64_t> spots;
  bool in_graphs = true;  // whether launches that are captured into graphs are replaced, too
  std::string tallies;    // the folder that takes what was counted
};

// Those of this process; never destroyed. None where the environment asks for none.
[[nodiscard]] const Replacements& replacements();

}  // namespace autokernel::inject
