// Copies and fills of rows and slices, against loops over bytes.
#include <cstring>
#include <random>

#include "api/emulated_device.h"

namespace emulator::api {
namespace {

using Bytes = std::vector<std::uint8_t>;

class ShapedCopies : public EmulatedDevice {
 protected:
  static Bytes random_bytes(std::size_t count) {
    static std::mt19937 random(7);
    Bytes bytes(count);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  }
  static CUdeviceptr on_device(const Bytes& bytes) {
    const CUdeviceptr address = allocate(bytes.size());
    EXPECT_EQ(cuMemcpyHtoD(address, bytes.data(), bytes.size()), CUDA_SUCCESS);
    return address;
  }
  static Bytes bytes_at(CUdeviceptr address, std::size_t count) {
    Bytes bytes(count);
    EXPECT_EQ(cuMemcpyDtoH(bytes.data(), address, count), CUDA_SUCCESS);
    return bytes;
  }
};

// A box within a box of bytes, the same on both sides but for where it lies.
struct Boxes {
  std::size_t width, height, depth;
  std::size_t from_x, from_y, from_z, from_pitch, from_height;
  std::size_t to_x, to_y, to_z, to_pitch, to_height;

  [[nodiscard]] std::size_t from_bytes() const {
    return from_pitch * from_height * (from_z + depth);
  }
  [[nodiscard]] std::size_t to_bytes() const { return to_pitch * to_height * (to_z + depth); }
  [[nodiscard]] Bytes expected(const Bytes& from, Bytes to) const {
    for (std::size_t z = 0; z < depth; ++z)
      for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < width; ++x)
          to[((to_z + z) * to_height + to_y + y) * to_pitch + to_x + x] =
              from[((from_z + z) * from_height + from_y + y) * from_pitch + from_x + x];
    return to;
  }
  [[nodiscard]] CUDA_MEMCPY3D request() const {
    CUDA_MEMCPY3D request{};
    request.WidthInBytes = width;
    request.Height = height;
    request.Depth = depth;
    request.srcXInBytes = from_x;
    request.srcY = from_y;
    request.srcZ = from_z;
    request.srcPitch = from_pitch;
    request.srcHeight = from_height;
    request.dstXInBytes = to_x;
    request.dstY = to_y;
    request.dstZ = to_z;
    request.dstPitch = to_pitch;
    request.dstHeight = to_height;
    return request;
  }
  [[nodiscard]] CUDA_MEMCPY2D flat_request() const {
    CUDA_MEMCPY2D request{};
    request.WidthInBytes = width;
    request.Height = height;
    request.srcXInBytes = from_x;
    request.srcY = from_y;
    request.srcPitch = from_pitch;
    request.dstXInBytes = to_x;
    request.dstY = to_y;
    request.dstPitch = to_pitch;
    return request;
  }
};

constexpr Boxes kBoxes = {13, 5, 3, 2, 1, 1, 31, 7, 4, 3, 2, 40, 9};
constexpr Boxes kFlat = {13, 5, 1, 2, 1, 0, 31, 7, 4, 3, 0, 40, 9};

TEST_F(ShapedCopies, MoveABoxFromTheHostToTheDevice) {
  const Bytes from = random_bytes(kBoxes.from_bytes());
  const Bytes to = random_bytes(kBoxes.to_bytes());
  const CUdeviceptr address = on_device(to);
  CUDA_MEMCPY3D request = kBoxes.request();
  request.srcMemoryType = CU_MEMORYTYPE_HOST;
  request.srcHost = from.data();
  request.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  request.dstDevice = address;

  EXPECT_EQ(cuMemcpy3D(&request), CUDA_SUCCESS);

  EXPECT_EQ(bytes_at(address, to.size()), kBoxes.expected(from, to));
}

TEST_F(ShapedCopies, MoveABoxFromTheDeviceToTheHostInStreamOrder) {
  const Bytes from = random_bytes(kBoxes.from_bytes());
  const Bytes before = random_bytes(kBoxes.to_bytes());
  Bytes to = before;
  CUDA_MEMCPY3D request = kBoxes.request();
  request.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  request.srcDevice = on_device(from);
  request.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  request.dstDevice = reinterpret_cast<CUdeviceptr>(to.data());

  EXPECT_EQ(cuMemcpy3DAsync(&request, nullptr), CUDA_SUCCESS);

  EXPECT_EQ(to, kBoxes.expected(from, before));
}

TEST_F(ShapedCopies, MoveRowsWithinTheDevice) {
  const Bytes from = random_bytes(kFlat.from_bytes());
  const Bytes to = random_bytes(kFlat.to_bytes());
  CUDA_MEMCPY2D request = kFlat.flat_request();
  request.srcMemoryType = request.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  request.srcDevice = on_device(from);

  request.dstDevice = on_device(to);
  EXPECT_EQ(cuMemcpy2D(&request), CUDA_SUCCESS);
  EXPECT_EQ(bytes_at(request.dstDevice, to.size()), kFlat.expected(from, to));
  request.dstDevice = on_device(to);
  EXPECT_EQ(cuMemcpy2DUnaligned(&request), CUDA_SUCCESS);
  EXPECT_EQ(bytes_at(request.dstDevice, to.size()), kFlat.expected(from, to));
  request.dstDevice = on_device(to);
  EXPECT_EQ(cuMemcpy2DAsync(&request, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(bytes_at(request.dstDevice, to.size()), kFlat.expected(from, to));
}

TEST_F(ShapedCopies, TakeSmallPageableRowsAtTheTimeOfTheCall) {
  Bytes from = random_bytes(kFlat.from_bytes());
  const Bytes to = random_bytes(kFlat.to_bytes());
  const Bytes expected = kFlat.expected(from, to);
  CUDA_MEMCPY2D request = kFlat.flat_request();
  request.srcMemoryType = CU_MEMORYTYPE_HOST;
  request.srcHost = from.data();
  request.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  request.dstDevice = on_device(to);

  EXPECT_EQ(cuMemcpy2DAsync(&request, nullptr), CUDA_SUCCESS);
  std::ranges::fill(from, 0);

  EXPECT_EQ(bytes_at(request.dstDevice, to.size()), expected);
}

TEST_F(ShapedCopies, WithoutPitchHaveRowsWithoutRoomBetweenThem) {
  const Bytes from = random_bytes(12);
  CUDA_MEMCPY2D request{};
  request.WidthInBytes = 4;
  request.Height = 3;
  request.srcMemoryType = CU_MEMORYTYPE_HOST;
  request.srcHost = from.data();
  request.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  request.dstDevice = allocate(12);

  EXPECT_EQ(cuMemcpy2D(&request), CUDA_SUCCESS);

  EXPECT_EQ(bytes_at(request.dstDevice, 12), from);
}

TEST_F(ShapedCopies, BeyondTheirMemoryAreRefused) {
  const Bytes from = random_bytes(kFlat.from_bytes());
  CUDA_MEMCPY2D request = kFlat.flat_request();
  request.srcMemoryType = CU_MEMORYTYPE_HOST;
  request.srcHost = from.data();
  request.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  // The last byte of the last row is at (to_y + height - 1) * to_pitch + to_x + width.
  request.dstDevice = allocate(7 * 40 + 17 - 1);

  EXPECT_EQ(cuMemcpy2D(&request), CUDA_ERROR_INVALID_VALUE);
  request.dstDevice = allocate(7 * 40 + 17);
  EXPECT_EQ(cuMemcpy2D(&request), CUDA_SUCCESS);
  request.Height = SIZE_MAX;
  EXPECT_EQ(cuMemcpy2D(&request), CUDA_ERROR_INVALID_VALUE);
  request.Height = 5;
  request.dstPitch = 15;
  EXPECT_EQ(cuMemcpy2D(&request), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpy2D(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ShapedCopies, OfArraysAreRefused) {
  CUDA_MEMCPY2D request = kFlat.flat_request();
  request.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  request.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  request.dstDevice = allocate(400);

  EXPECT_EQ(cuMemcpy2D(&request), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(ShapedCopies, FillRows) {
  const Bytes before = random_bytes(64);
  const CUdeviceptr address = on_device(before);
  Bytes expected = before;
  for (const std::size_t row : {0U, 1U}) {
    for (std::size_t x = 0; x < 3; ++x) {
      expected[row * 16 + x] = 0x5a;
      expected[32 + row * 16 + 2 * x] = 0x34;
      expected[32 + row * 16 + 2 * x + 1] = 0x12;
    }
    const std::uint32_t word = 0xdeadbeef;
    std::memcpy(&expected[row * 16 + 12], &word, 4);
  }

  EXPECT_EQ(cuMemsetD2D8(address, 16, 0x5a, 3, 2), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD2D16Async(address + 32, 16, 0x1234, 3, 2, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD2D32(address + 12, 16, 0xdeadbeef, 1, 2), CUDA_SUCCESS);

  EXPECT_EQ(bytes_at(address, 64), expected);
  EXPECT_EQ(cuMemsetD2D8(address, 16, 0, 17, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD2D32(address, 18, 0, 1, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD2D8(address, 16, 0, 16, 5), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ShapedCopies, ReachTheMemoryOfAnotherContext) {
  const Bytes from = random_bytes(100);
  const CUdeviceptr here = on_device(from);
  CUcontext other = nullptr;
  ASSERT_EQ(cuCtxCreate(&other, nullptr, 0, device), CUDA_SUCCESS);
  const CUdeviceptr there = allocate(100);

  EXPECT_EQ(cuMemcpyPeer(there, other, here, context, 100), CUDA_SUCCESS);
  EXPECT_EQ(bytes_at(there, 100), from);
  EXPECT_EQ(cuMemcpyPeer(there, other, here, context, 101), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyPeer(there, other, here, made_up<CUcontext>(), 1), CUDA_ERROR_INVALID_CONTEXT);

  EXPECT_EQ(cuCtxDestroy(other), CUDA_SUCCESS);
}

}  // namespace
}  // namespace emulator::api
