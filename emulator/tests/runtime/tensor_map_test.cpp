// Which tensor maps no copy can use, whatever bits a kernel writes where a map should be, and that
// by all others a copy stays within the memory that it checks.
#include "runtime/tensor_map.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <random>
#include <string>

namespace emulator::runtime {
namespace {

TensorMap tiled(std::uint8_t rank) {
  TensorMap map = map_of_zeros();
  map.rank = rank;
  map.type = TensorType::u32;
  map.address = 0x10000;
  map.dims.fill(64);
  map.strides = {256, 16384, 1048576, 67108864};
  map.box = {32, 3, 2, 2, 2};
  return map;
}

TensorMap swizzled_by(std::uint8_t bytes, std::uint8_t atom) {
  TensorMap map = tiled(3);
  map.swizzle = bytes;
  map.atom = atom;
  map.box[0] = static_cast<std::uint16_t>(bytes / 4);
  return map;
}

TensorMap interleaved(TensorInterleave interleave, std::uint8_t swizzle) {
  TensorMap map = tiled(3);
  map.interleave = interleave;
  map.swizzle = swizzle;
  map.box[0] = 5;
  return map;
}

TensorMap pixels(TensorMode mode, std::uint8_t rank) {
  TensorMap map = tiled(rank);
  map.mode = mode;
  map.box = {};
  map.lower.fill(-1);
  map.upper.fill(-1);
  map.channels = 32;
  map.pixels = 20;
  map.swizzle = 128;
  return map;
}

TensorMap padded(TensorType type) {
  TensorMap map = tiled(2);
  map.type = type;
  map.dims = {256, 64};
  map.box[0] = kPaddedBox;
  map.swizzle = 128;
  return map;
}

struct Forgery {
  const char* why;
  std::function<TensorMap()> made;
};

// A map that changes what a good one says.
Forgery forged(const char* why, const TensorMap& good, const std::function<void(TensorMap&)>& by) {
  return {why, [=] {
            TensorMap map = good;
            by(map);
            return map;
          }};
}

TEST(TensorMaps, OfWhatNoCopyCanUseAreAFault) {
  const TensorMap rows = swizzled_by(128, 16);
  const TensorMap slices = interleaved(TensorInterleave::bytes_16, 0);
  const TensorMap images = pixels(TensorMode::im2col, 4);
  const TensorMap sixes = padded(TensorType::u6x16_p32);
  for (const Forgery& each : {
           forged("no tensor map", rows, [](auto& map) { map.magic ^= 1; }),
           forged("no known value", rows, [](auto& map) { map.mode = TensorMode{4}; }),
           forged("no known value", rows, [](auto& map) { map.type = TensorType{16}; }),
           forged("no known value", rows, [](auto& map) { map.interleave = TensorInterleave{3}; }),
           forged("no known value", rows, [](auto& map) { map.fill = TensorFill{2}; }),
           forged("no known value", rows, [](auto& map) { map.flips = 2; }),
           forged("not one to five", rows, [](auto& map) { map.rank = 0; }),
           forged("not one to five", rows, [](auto& map) { map.rank = 6; }),
           forged("swizzle that does not fit", swizzled_by(32, 16),
                  [](auto& map) { map.atom = 64; }),
           forged("swizzle that does not fit", swizzled_by(64, 16),
                  [](auto& map) { map.atom = 32; }),
           forged("swizzle that does not fit", rows, [](auto& map) { map.atom = 0; }),
           forged("swizzle that does not fit", rows, [](auto& map) { map.swizzle = 96; }),
           forged("swizzle that does not fit", rows, [](auto& map) { map.flips = 1; }),
           forged("no multiple of 16", rows, [](auto& map) { map.address += 8; }),
           forged("no multiple of 16", rows, [](auto& map) { map.strides[1] += 8; }),
           forged("no multiple of 16 or 32", sixes, [](auto& map) { map.strides[0] = 208; }),
           forged("too large", rows, [](auto& map) { map.dims[0] = ~std::uint64_t{0}; }),
           forged("too large", rows, [](auto& map) { map.strides[0] = std::uint64_t{1} << 40U; }),
           forged("element strides", rows, [](auto& map) { map.element_strides[0] = 0; }),
           forged("element strides", rows, [](auto& map) { map.element_strides[2] = 9; }),
           forged("1 to 256 elements", rows, [](auto& map) { map.box[0] = 0; }),
           forged("1 to 256 elements", tiled(5),
                  [](auto& map) { map.box = {4, 0x8000, 0x8000, 0x8000, 0x8000}; }),
           forged("less than three", images, [](auto& map) { map.rank = 2; }),
           forged("1 to 256 channels", images, [](auto& map) { map.channels = 0; }),
           forged("1 to 1024 pixels", images, [](auto& map) { map.pixels = 1025; }),
           forged("interleaved tensor of less", slices, [](auto& map) { map.rank = 2; }),
           forged("interleaved layout that does not fit", slices,
                  [](auto& map) { map.interleave = TensorInterleave::bytes_32; }),
           forged("interleaved layout that does not fit", pixels(TensorMode::im2col_w, 4),
                  [](auto& map) { map.interleave = TensorInterleave::bytes_16; }),
           forged("type that does not fit", slices,
                  [](auto& map) { map.type = TensorType::u6x16_p32; }),
           forged("type that does not fit", sixes, [](auto& map) { map.box[0] = 64; }),
           forged("rows of its box that are no multiple", rows, [](auto& map) { map.box[0] = 30; }),
           forged("rows of its box that are no multiple", images,
                  [](auto& map) { map.channels = 30; }),
           forged("wider than its swizzle", rows, [](auto& map) { map.box[0] = 68; }),
           forged("wider than its swizzle", images, [](auto& map) { map.swizzle = 64; }),
       }) {
    const char* why = fault_of(each.made());
    ASSERT_NE(why, nullptr) << each.why;
    EXPECT_NE(std::string(why).find(each.why), std::string::npos) << why << ", not " << each.why;
  }
}

const std::array kGood = {
    map_of_zeros(),
    tiled(1),
    tiled(5),
    swizzled_by(32, 16),
    swizzled_by(64, 16),
    swizzled_by(128, 16),
    swizzled_by(128, 32),
    swizzled_by(128, 64),
    interleaved(TensorInterleave::bytes_16, 0),
    interleaved(TensorInterleave::bytes_16, 128),
    interleaved(TensorInterleave::bytes_32, 32),
    pixels(TensorMode::im2col, 3),
    pixels(TensorMode::im2col, 5),
    pixels(TensorMode::im2col_w, 4),
    pixels(TensorMode::im2col_w_128, 4),
    padded(TensorType::u4x16_p64),
    padded(TensorType::u6x16_p32),
};

TEST(TensorMaps, ThatEncodingMakesHaveNoFault) {
  for (std::size_t i = 1; i < kGood.size(); ++i) EXPECT_EQ(fault_of(kGood.at(i)), nullptr) << i;
}

// That every byte of a copy lies in the footprint, and what is read of the tensor in its row.
void expect_within(const TensorMap& map, const TensorPosition& position) {
  constexpr std::uint64_t kMostShared = std::uint64_t{227} << 10U;
  constexpr std::uint64_t kBox = 0x5080;  // 128-byte aligned, and no more
  TensorRows rows(map, position);
  const std::uint64_t footprint = rows.footprint();
  ASSERT_NE(footprint, 0);
  if (footprint > kMostShared) return;  // which no block has
  const TensorUnit unit = unit_of(map.type);
  while (const auto row = rows.next()) {
    ASSERT_NE(row->bytes, 0);
    ASSERT_EQ(row->bytes % unit.bytes, 0);
    ASSERT_LE(std::uint64_t{row->before} + row->inside, row->bytes);
    ASSERT_EQ(row->address % 16, 0);  // 0 where nothing is inside
    for (std::uint32_t i = 0; i < row->bytes; i += unit.bytes) {
      const std::uint64_t offset = row->box_offset + std::uint64_t{i} / unit.bytes * unit.box_bytes;
      const std::uint64_t place = swizzled(map, kBox + offset);
      ASSERT_GE(place, kBox);
      ASSERT_LE(place + unit.box_bytes, kBox + footprint);
    }
  }
}

TEST(TensorMaps, OfAnyBitsKeepCopiesWithinTheirBox) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  constexpr std::array<std::uint8_t, 12> kBytes = {0, 1, 2, 3, 5, 8, 16, 32, 64, 127, 128, 255};
  int used = 0;
  int faults = 0;
  for (int run = 0; run < 20'000; ++run) {
    std::array<std::uint8_t, kTensorMapBytes> bytes{};
    std::memcpy(bytes.data(), &kGood.at(below(kGood.size())), bytes.size());
    for (std::size_t changes = 1 + below(4); changes != 0; --changes) {
      const std::size_t at =
          sizeof(TensorMap::magic) + below(bytes.size() - sizeof(TensorMap::magic));
      bytes.at(at) =
          below(2) == 0 ? kBytes.at(below(kBytes.size())) : static_cast<std::uint8_t>(random());
    }
    TensorMap map;
    std::memcpy(static_cast<void*>(&map), bytes.data(), bytes.size());
    if (fault_of(map) != nullptr) {
      ++faults;
      continue;
    }
    ++used;
    TensorPosition position;
    for (std::int32_t& at : position.at) at = static_cast<std::int32_t>(below(9)) * 128 - 512;
    if (map.mode != TensorMode::tiled) position.halo = static_cast<std::uint32_t>(below(32));
    if (map.mode == TensorMode::im2col) position.halo = 0;
    position.gathers = map.mode == TensorMode::tiled && map.rank == 2 &&
                       map.interleave == TensorInterleave::none && below(2) == 0;
    expect_within(map, position);
    if (testing::Test::HasFatalFailure()) FAIL() << "run " << run;
  }
  EXPECT_GT(used, 5'000);
  EXPECT_GT(faults, 5'000);
}

}  // namespace
}  // namespace emulator::runtime
