#include "programs/capture/other_launches.h"

#include <gmock/gmock.h>

#include <cstring>

namespace autokernel::programs {
namespace {

using cases::DType;

constexpr std::size_t kRangeBytes = 4096;
constexpr std::uint64_t kTable = 256;  // where each begins, from the range's beginning
constexpr std::uint64_t kIndex = 2048;

// f(table, index, count), whose memory lies in one range at that address.
[[nodiscard]] CapturedLaunch launch_at(std::uint64_t base, std::uint32_t count = 6) {
  CapturedLaunch launch;
  launch.ranges.push_back({.base = base,
                           .bytes = kRangeBytes,
                           .kept = base,
                           .before = std::vector<std::byte>(kRangeBytes),
                           .after = std::vector<std::byte>(kRangeBytes)});
  launch.bytes.resize(20);
  launch.pointers = {{.offset = 0, .address = base + kTable},
                     {.offset = 8, .address = base + kIndex}};
  for (const CapturedPointer& pointer : launch.pointers) {
    std::memcpy(launch.bytes.data() + pointer.offset, &pointer.address, sizeof pointer.address);
  }
  std::memcpy(launch.bytes.data() + 16, &count, sizeof count);
  return launch;
}

[[nodiscard]] StudiedTensor tensor_at(const CapturedLaunch& launch, std::uint64_t begin,
                                      std::uint64_t bytes) {
  StudiedTensor tensor;
  tensor.begin = begin;
  tensor.end = begin + bytes;
  tensor.read = bytes;
  tensor.address = launch.ranges[0].kept + begin;
  tensor.dtype = DType::f32;
  return tensor;
}

TEST(OtherLaunch, HasTheTensorsWhereItsParametersLead) {
  const CapturedLaunch first = launch_at(0x10000);
  const CapturedLaunch other = launch_at(0x90000);
  const auto theirs = tensors_in(other, first, {tensor_at(first, kTable, 100)});
  ASSERT_TRUE(theirs);
  EXPECT_EQ(theirs->front().address, 0x90000 + kTable);
  EXPECT_EQ(theirs->front().begin, kTable);
  EXPECT_EQ(theirs->front().bytes(), 100);
}

TEST(OtherLaunch, OfAnotherProblemHasNone) {
  const CapturedLaunch first = launch_at(0x10000);
  const std::vector<StudiedTensor> tensors = {tensor_at(first, kTable, 100)};
  EXPECT_FALSE(tensors_in(launch_at(0x90000, 7), first, tensors));
  CapturedLaunch longer = launch_at(0x90000);
  longer.bytes.resize(24);
  EXPECT_FALSE(tensors_in(longer, first, tensors));
}

TEST(OtherLaunch, WithoutAllOfTheMemoryHasNone) {
  const CapturedLaunch first = launch_at(0x10000);
  CapturedLaunch other = launch_at(0x90000);
  other.ranges[0].before.resize(kTable + 99);
  EXPECT_FALSE(tensors_in(other, first, {tensor_at(first, kTable, 100)}));
}

TEST(OtherLaunch, ThatReadsFurtherMakesATensorLonger) {
  const CapturedLaunch first = launch_at(0x10000);
  const CapturedLaunch other = launch_at(0x90000);
  const auto wider =
      reaching(first, {tensor_at(first, kTable, 100), tensor_at(first, kIndex, 24)}, other,
               {tensor_at(other, kTable, 1001), tensor_at(other, kIndex, 20)});
  ASSERT_TRUE(wider);
  EXPECT_EQ(wider->at(0).bytes(), 1004);  // whole elements
  EXPECT_EQ(wider->at(0).read, 1001);
  EXPECT_EQ(wider->at(0).address, 0x10000 + kTable);
  EXPECT_EQ(wider->at(1).bytes(), 24);
}

TEST(OtherLaunch, ThatReadsIntoAnotherTensorDoesNotFit) {
  const CapturedLaunch first = launch_at(0x10000);
  const CapturedLaunch other = launch_at(0x90000);
  EXPECT_FALSE(reaching(first, {tensor_at(first, kTable, 100), tensor_at(first, kIndex, 24)}, other,
                        {tensor_at(other, kTable, kIndex - kTable + 4)}));
  EXPECT_FALSE(
      reaching(first, {tensor_at(first, kIndex, 24)}, other, {tensor_at(other, kTable, 100)}));
}

}  // namespace
}  // namespace autokernel::programs
