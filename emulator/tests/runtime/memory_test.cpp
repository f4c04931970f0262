#include "runtime/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "runtime/host_pointer.h"
#include "runtime/random_bits.h"

namespace emulator::runtime {
namespace {

using testing::HasSubstr;

TEST(Memory, AlignsAllocationsAsAGpuDoes) {
  Memory memory;

  EXPECT_EQ(memory.allocate(1, AllocationKind::device) % kAllocationAlignment, 0);
  EXPECT_EQ(memory.allocate(1000, AllocationKind::device) % kAllocationAlignment, 0);
}

TEST(Memory, FillsNewAllocationsWithBitsThatAreNotZero) {
  Memory memory;
  const auto address = memory.allocate(4096, AllocationKind::device);

  const auto* bytes = host_pointer<const std::uint8_t>(address);
  EXPECT_LT(std::count(bytes, bytes + 4096, 0), 64);
}

TEST(Memory, FillsTwoAllocationsDifferently) {
  Memory memory;
  const auto first = memory.allocate(64, AllocationKind::device);
  const auto second = memory.allocate(64, AllocationKind::device);

  EXPECT_NE(std::memcmp(host_pointer<void>(first), host_pointer<void>(second), 64), 0);
}

TEST(Memory, KeepsNeighboursFarApart) {
  Memory memory;
  const auto first = memory.allocate(512, AllocationKind::device);
  const auto second = memory.allocate(512, AllocationKind::device);

  const std::uint64_t distance = first > second ? first - second : second - first;
  EXPECT_GT(distance, std::uint64_t{1} << 20);
}

TEST(Memory, HoldsWhatLiesInOneAllocationAsAWhole) {
  Memory memory;
  const auto address = memory.allocate(100, AllocationKind::device);

  EXPECT_TRUE(memory.holds(address + 90, 10));
  EXPECT_FALSE(memory.holds(address + 91, 10));
  EXPECT_FALSE(memory.holds(address, ~std::uint64_t{0}));
}

TEST(Memory, ForgetsWhatIsReleased) {
  Memory memory;
  const auto address = memory.allocate(100, AllocationKind::device);

  EXPECT_TRUE(memory.release(address, AllocationKind::device));

  EXPECT_FALSE(memory.holds(address, 1));
  EXPECT_FALSE(memory.release(address, AllocationKind::device));
}

TEST(Memory, ReleasesOnlyFromTheFirstAddressAndTheRightKind) {
  Memory memory;
  const auto address = memory.allocate(100, AllocationKind::device);

  EXPECT_FALSE(memory.release(address + 1, AllocationKind::device));
  EXPECT_FALSE(memory.release(address, AllocationKind::host));
  EXPECT_TRUE(memory.holds(address, 100));
}

TEST(Memory, DoesNotGiveFreedAddressesOutAgainSoon) {
  Memory memory;
  const auto address = memory.allocate(4096, AllocationKind::device);
  ASSERT_TRUE(memory.release(address, AllocationKind::device));

  EXPECT_NE(memory.allocate(4096, AllocationKind::device), address);
}

TEST(Memory, FreedMemoryIsNoLongerMapped) {
  Memory memory;
  const auto address = memory.allocate(4096, AllocationKind::device);
  ASSERT_TRUE(memory.release(address, AllocationKind::device));

  EXPECT_DEATH(*host_pointer<volatile char>(address) = 1, "");
}

TEST(Memory, RefusesMoreThanTheMachineHas) {
  Memory memory;

  EXPECT_THROW((void)memory.allocate(std::size_t{1} << 50, AllocationKind::device), std::bad_alloc);
}

TEST(Memory, KnowsTheProgramsOwnMemoryOnceRegistered) {
  Memory memory;
  std::vector<char> own(1000);
  const auto address = reinterpret_cast<std::uint64_t>(own.data());

  EXPECT_TRUE(memory.adopt(address, own.size()));
  EXPECT_TRUE(memory.holds(address, 1000));
  EXPECT_FALSE(memory.adopt(address + 10, 10));
  EXPECT_TRUE(memory.release(address, AllocationKind::registered_host));
  EXPECT_FALSE(memory.holds(address, 1));
}

TEST(Memory, ASnapshotDoesNotChange) {
  Memory memory;
  const auto address = memory.allocate(100, AllocationKind::device);
  const auto before = memory.snapshot();
  ASSERT_TRUE(memory.release(address, AllocationKind::device));

  EXPECT_NE(before->find(address), nullptr);
  EXPECT_EQ(memory.snapshot()->find(address), nullptr);
}

TEST(Memory, ReportsNoMoreAvailableThanThereIs) {
  const PhysicalMemory memory = physical_memory();

  EXPECT_GT(memory.available, 0);
  EXPECT_LE(memory.available, memory.total);
}

AddressMap one_allocation() {
  return AddressMap({{0x100000, 0x101000, AllocationKind::device, {}}},
                    {{0x900000, 0x900100, AllocationKind::device, {}}});
}

TEST(AddressMap, SaysHowFarPastTheEndAnAddressIs) {
  EXPECT_EQ(one_allocation().locate(0x101002, 2), "2 bytes past the end of a 4096-byte allocation");
  EXPECT_EQ(one_allocation().locate(0x101000, 2), "right behind the end of a 4096-byte allocation");
}

TEST(AddressMap, SaysHowFarBeforeTheStartAnAddressIs) {
  EXPECT_EQ(one_allocation().locate(0xfffff, 1),
            "1 byte before the start of a 4096-byte allocation");
}

TEST(AddressMap, SaysHowMuchOfAnAccessHangsOut) {
  EXPECT_EQ(one_allocation().locate(0x100ff8, 16),
            "of which 8 bytes lie past the end of a 4096-byte allocation");
}

TEST(AddressMap, RecognisesFreedMemory) {
  EXPECT_THAT(one_allocation().locate(0x900010, 4),
              HasSubstr("16 bytes into a 256-byte allocation that has been freed"));
}

TEST(AddressMap, RecognisesNullPointers) {
  EXPECT_THAT(one_allocation().locate(0x10, 4), HasSubstr("null pointer"));
}

TEST(AddressMap, NamesVariables) {
  const AddressMap map({{0x1000000, 0x1000040, AllocationKind::global_variable, "table"}}, {});

  EXPECT_EQ(map.locate(0x1000044, 4), "4 bytes past the end of variable table of 64 bytes");
}

TEST(RandomBits, FillEveryByteOfAnOddLength) {
  std::vector<std::uint8_t> first(37);
  std::vector<std::uint8_t> second(37);
  fill_with_random_bits(first.data(), first.size(), 1);
  fill_with_random_bits(second.data(), second.size(), 1);

  EXPECT_EQ(first, second);
  EXPECT_TRUE(first[32] != 0 || first[33] != 0 || first[34] != 0 || first[35] != 0 ||
              first[36] != 0);
}

}  // namespace
}  // namespace emulator::runtime
