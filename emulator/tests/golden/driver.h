// A CUDA driver, whichever it is: the emulated one, or a GPU's. Golden vectors are taken from the
// one and compared with what the other computes.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace emulator::golden {

using Words = std::vector<std::uint32_t>;

// How a kernel is launched. Blocks of `cluster` form one: 1 is no cluster.
struct Shape {
  unsigned blocks = 1;
  unsigned threads = 128;
  unsigned cluster = 1;
  unsigned shared_bytes = 0;
};

// Device memory; freed at the end.
class Memory {
 public:
  explicit Memory(std::size_t bytes);
  explicit Memory(std::span<const std::uint32_t> words);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] CUdeviceptr address() const { return address_; }
  [[nodiscard]] Words read() const;

 private:
  CUdeviceptr address_ = 0;
  std::size_t bytes_;
};

// As cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col take them. Strides are bytes, of all
// dimensions but the first.
struct TensorMap {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT8;
  std::vector<std::uint64_t> dims{};
  std::vector<std::uint64_t> strides{};
  std::vector<std::uint32_t> box{};  // of a tiled map
  std::vector<std::uint32_t> element_strides{};
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  // Of an im2col map, whose box is empty.
  std::vector<int> lower{};
  std::vector<int> upper{};
  std::uint32_t channels = 0;
  std::uint32_t pixels = 0;

  [[nodiscard]] CUtensorMap over(CUdeviceptr memory) const;
};

// Opens the driver named by EMULATOR_TESTS_DRIVER, or the emulated one, and makes a context. Throws
// std::runtime_error.
void open_driver();
void start_again();
[[nodiscard]] std::string device_name();

// A kernel ended with a fault: the number that cuCtxSynchronize gave. On a GPU nothing more runs in
// this process; on the emulated device nothing does before start_again().
struct Fault {
  int result;
};

// Runs the only kernel of the module, whose parameters are tensor maps (of 64-byte alignment), then
// pointers. Throws Fault, or std::runtime_error with the driver's words.
void run(const std::string& ptx, const Shape& shape, std::span<const CUtensorMap> maps,
         std::span<const CUdeviceptr> pointers);

}  // namespace emulator::golden
