#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "runtime/kernel_launch.h"

namespace emulator::runtime {
namespace {

using testing::HasSubstr;

constexpr std::size_t kBytes = 4096;

// One allocation whose address is parameter 0.
class Access : public testing::Test {
 protected:
  Access() : address(kernel.memory.allocate(kBytes, AllocationKind::device)) {
    kernel.pass(address);
    kernel.launch.block = {32, 1, 1};
  }
  [[nodiscard]] std::uint32_t* words() const { return host_pointer<std::uint32_t>(address); }

  KernelLaunch kernel;
  std::uint64_t address;
};

constexpr Site kLoad{AccessKind::load, AccessSpace::global, 4, 1, 57, "ld.global.u32 %r1, [%rd1]"};
constexpr Site kStore{AccessKind::store,          AccessSpace::global, 4, 1, 58,
                      "st.global.u32 [%rd1], %r1"};

TEST_F(Access, LoadsAndStoresOneValuePerLane) {
  kernel.sites = {kLoad, kStore};
  std::iota(words(), words() + 64, 100);

  const auto outcome = kernel.run([](WarpContext* context) {
    for (std::uint64_t l = 0; l < 32; ++l) {
      context->address[l] = parameter(*context, 0) + 4 * (31 - l);
    }
    emu_load(context, 0, ~0U);
    for (std::uint64_t l = 0; l < 32; ++l) {
      context->address[l] = parameter(*context, 0) + 128 + 4 * l;
    }
    emu_store(context, 1, 0xfU);
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(words()[32], 131);
  EXPECT_EQ(words()[35], 128);
  EXPECT_EQ(words()[36], 136);
}

TEST_F(Access, MovesVectorsElementByElement) {
  kernel.sites = {{AccessKind::load, AccessSpace::global, 4, 4, 1, ""},
                  {AccessKind::store, AccessSpace::global, 4, 4, 2, ""}};
  std::iota(words(), words() + 8, 0);

  const auto outcome = kernel.run([](WarpContext* context) {
    context->address[3] = parameter(*context, 0) + 16;
    emu_load(context, 0, 1U << 3);
    context->address[3] += 1024;
    emu_store(context, 1, 1U << 3);
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(words()[260], 4);
  EXPECT_EQ(words()[263], 7);
}

TEST_F(Access, TheHighestLaneWinsAStoreToOneAddress) {
  kernel.sites = {kStore};

  const auto outcome = kernel.run([](WarpContext* context) {
    for (std::uint32_t l = 0; l < 32; ++l) {
      context->address[l] = parameter(*context, 0);
      put(*context, 0, l, l);
    }
    emu_store(context, 0, ~0U);
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(words()[0], 31);
}

TEST_F(Access, RemembersTheAllocationSeen) {
  kernel.sites = {kLoad};
  Range seen;
  kernel.pass(reinterpret_cast<std::uint64_t>(&seen));

  const auto outcome = kernel.run([](WarpContext* context) {
    context->address[0] = parameter(*context, 0) + 8;
    emu_load(context, 0, 1);
    *pointer_parameter<Range>(*context, 1) = context->ranges[0];
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(seen.begin, address);
  EXPECT_EQ(seen.end, address + kBytes);
}

TEST_F(Access, PastTheEndNamesThreadBlockLineAndDistance) {
  kernel.sites = {kLoad};
  kernel.launch.block = {8, 8, 1};
  kernel.launch.grid = {2, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    if (context->ctaid[0] != 1 || context->warp != 1) return;
    std::ranges::fill(context->address, parameter(*context, 0));
    context->address[13] += kBytes + 4;
    emu_load(context, 0, ~0U);
  });

  EXPECT_EQ(outcome.fault, FaultKind::out_of_bounds);
  EXPECT_THAT(outcome.text, HasSubstr("out-of-bounds load of 4 bytes at 0x"));
  EXPECT_THAT(outcome.text, HasSubstr("4 bytes past the end of a 4096-byte allocation"));
  EXPECT_THAT(
      outcome.text,
      HasSubstr("by thread (5,5,0) of block (1,0,0), PTX line 57: ld.global.u32 %r1, [%rd1]"));
}

TEST_F(Access, AtAnOddAddressIsMisaligned) {
  kernel.sites = {kStore};

  const auto outcome = kernel.run([](WarpContext* context) {
    context->address[0] = parameter(*context, 0) + 2;
    emu_store(context, 0, 1);
  });

  EXPECT_EQ(outcome.fault, FaultKind::misaligned);
  EXPECT_THAT(outcome.text, HasSubstr("no multiple of 4"));
}

TEST_F(Access, VectorsMustBeAlignedAsAWhole) {
  kernel.sites = {{AccessKind::load, AccessSpace::global, 4, 4, 1, ""}};

  const auto outcome = kernel.run([](WarpContext* context) {
    context->address[0] = parameter(*context, 0) + 8;
    emu_load(context, 0, 1);
  });

  EXPECT_EQ(outcome.fault, FaultKind::misaligned);
}

TEST_F(Access, AfterFreeSaysSo) {
  kernel.sites = {kLoad};
  ASSERT_TRUE(kernel.memory.release(address, AllocationKind::device));

  const auto outcome = kernel.run([](WarpContext* context) {
    context->address[0] = parameter(*context, 0);
    emu_load(context, 0, 1);
  });

  EXPECT_THAT(outcome.text, HasSubstr("has been freed"));
}

TEST_F(Access, ToSharedMemoryIsCheckedAgainstTheBlocksSize) {
  kernel.sites = {{AccessKind::store, AccessSpace::shared, 4, 1, 9, "st.shared.u32 [%r1], %r2"}};
  kernel.launch.shared_bytes = 100;

  const auto outcome = kernel.run([](WarpContext* context) {
    context->address[0] = 96;
    context->address[1] = 100;
    emu_store(context, 0, 3);
  });

  EXPECT_EQ(outcome.fault, FaultKind::out_of_bounds);
  EXPECT_THAT(outcome.text, HasSubstr("at shared address 0x64"));
  EXPECT_THAT(outcome.text, HasSubstr("the block's 100 bytes of shared memory"));
}

TEST_F(Access, ToAnotherThreadsLocalMemoryIsAFault) {
  kernel.sites = {{AccessKind::load, AccessSpace::generic, 4, 1, 9, "ld.u32 %r1, [%rd1]"}};
  kernel.launch.local_bytes_per_thread = 64;

  const auto outcome = kernel.run([](WarpContext* context) {
    const auto frames = reinterpret_cast<std::uint64_t>(context->local);
    context->address[0] = frames;
    context->address[1] = frames + context->local_stride;
    context->address[2] = frames;
    emu_load(context, 0, 7);
  });

  EXPECT_THAT(outcome.text, HasSubstr("in the local memory of another thread, by thread (2,0,0)"));
}

TEST_F(Access, ByGenericAddressReachesSharedMemory) {
  kernel.sites = {{AccessKind::store, AccessSpace::generic, 4, 1, 9, ""},
                  {AccessKind::load, AccessSpace::shared, 4, 1, 10, ""},
                  kStore};
  kernel.launch.shared_bytes = 64;

  const auto outcome = kernel.run([](WarpContext* context) {
    put(*context, 0, 0, std::uint32_t{4711});
    context->address[0] = reinterpret_cast<std::uint64_t>(context->shared) + 8;
    emu_store(context, 0, 1);
    context->address[0] = 8;
    emu_load(context, 1, 1);
    context->address[0] = parameter(*context, 0);
    emu_store(context, 2, 1);
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(words()[0], 4711);
}

// Only the blocks of a cluster have windows of 16 MB there.
TEST_F(Access, ByGenericAddressReachesMemoryJustBehindThatOfABlockAlone) {
  constexpr std::size_t kPage = 4096;
  kernel.sites = {{AccessKind::load, AccessSpace::generic, 4, 1, 9, ""}, kStore};
  kernel.launch.shared_bytes = 64;
  ASSERT_EQ(kernel
                .run([](WarpContext* context) {
                  *pointer_parameter<std::uint64_t>(*context, 0) =
                      reinterpret_cast<std::uint64_t>(context->shared);
                })
                .text,
            "none");
  const auto shared = *host_pointer<std::uint64_t>(address);
  void* page = MAP_FAILED;
  for (std::size_t behind = kPage; page == MAP_FAILED && behind < kSharedWindow; behind += kPage) {
    page = mmap(host_pointer<void>((shared + behind) & ~(kPage - 1)), kPage, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  }
  ASSERT_NE(page, MAP_FAILED);
  *static_cast<std::uint32_t*>(page) = 4711;
  ASSERT_TRUE(kernel.memory.adopt(reinterpret_cast<std::uint64_t>(page), kPage));
  kernel.pass(reinterpret_cast<std::uint64_t>(page));
  kernel.pass(shared);

  const auto outcome = kernel.run([](WarpContext* context) {
    if (reinterpret_cast<std::uint64_t>(context->shared) != parameter(*context, 2)) return;
    context->address[0] = parameter(*context, 1);
    emu_load(context, 0, 1);
    context->address[0] = parameter(*context, 0);
    emu_store(context, 1, 1);
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(words()[0], 4711) << "the shared memory may have moved";
  munmap(page, kPage);
}

TEST_F(Access, ToConstantVariablesIsReadOnly) {
  kernel.sites = {{AccessKind::store, AccessSpace::generic, 4, 1, 9, ""}};
  kernel.pass(kernel.memory.allocate(64, AllocationKind::constant_variable, "weights"));

  const auto outcome = kernel.run([](WarpContext* context) {
    context->address[0] = parameter(*context, 1);
    emu_store(context, 0, 1);
  });

  EXPECT_THAT(outcome.text, HasSubstr("in constant memory (variable weights)"));
}

TEST_F(Access, OfAWholeRangeIsCheckedAtOnce) {
  kernel.sites = {kLoad};

  EXPECT_EQ(kernel
                .run([](WarpContext* context) {
                  emu_check(context, 0, ~0U, parameter(*context, 0), kBytes);
                })
                .fault,
            std::nullopt);
  EXPECT_EQ(kernel
                .run([](WarpContext* context) {
                  emu_check(context, 0, ~0U, parameter(*context, 0), kBytes + 1);
                })
                .fault,
            FaultKind::out_of_bounds);
}

TEST_F(Access, OfAWholeRangeMustBeginAligned) {
  kernel.sites = {kLoad};

  const auto outcome = kernel.run(
      [](WarpContext* context) { emu_check(context, 0, ~0U, parameter(*context, 0) + 2, 4); });

  EXPECT_EQ(outcome.fault, FaultKind::misaligned);
}

TEST_F(Access, OfFreshSharedMemoryDoesNotFindZeros) {
  kernel.launch.shared_bytes = 4096;

  const auto outcome = kernel.run([](WarpContext* context) {
    std::uint32_t zeros = 0;
    for (unsigned i = 0; i < 4096; ++i) zeros += context->shared[i] == 0 ? 1 : 0;
    if (zeros > 64) emu_fault(context, static_cast<std::uint32_t>(FaultKind::trap), 1, 1);
  });

  EXPECT_EQ(outcome.text, "none");
}

TEST_F(Access, OneFaultStopsALargeGrid) {
  kernel.sites = {kLoad};
  kernel.launch.grid = {1U << 30, 4, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    if (context->ctaid[0] == 1000)
      emu_fault(context, static_cast<std::uint32_t>(FaultKind::trap), 4, 33);
  });

  EXPECT_EQ(outcome.fault, FaultKind::trap);
  EXPECT_EQ(outcome.text, "trap instruction, by thread (2,0,0) of block (1000,0,0), PTX line 33");
}

TEST_F(Access, EveryBlockOfTheGridRunsOnce) {
  kernel.launch.grid = {7, 5, 3};
  kernel.launch.block = {48, 1, 1};
  std::fill(words(), words() + 105, 0);

  const auto outcome = kernel.run([](WarpContext* context) {
    auto* seen = pointer_parameter<std::uint32_t>(*context, 0);
    const std::uint32_t index = context->ctaid[0] + 7 * (context->ctaid[1] + 5 * context->ctaid[2]);
    seen[index] += static_cast<std::uint32_t>(__builtin_popcount(context->live));
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(std::accumulate(words(), words() + 105, 0U), 105U * 48U);
  EXPECT_EQ(words()[104], 48);
}

TEST(AsynchronousCopy, OfAPartIsCheckedOverAllOfIt) {
  KernelLaunch kernel;
  alignas(16) std::array<std::uint8_t, 32> bytes{};
  const auto address = reinterpret_cast<std::uint64_t>(bytes.data());
  // Between what the first and the last byte belong to lies what belongs to nobody.
  ASSERT_TRUE(kernel.memory.adopt(address, 4));
  ASSERT_TRUE(kernel.memory.adopt(address + 12, 4));
  kernel.pass(address);
  kernel.launch.block = {32, 1, 1};
  kernel.launch.shared_bytes = 16;
  kernel.sites = {{AccessKind::load, AccessSpace::global, 4, 4, 1, "cp.async"},
                  {AccessKind::store, AccessSpace::shared, 4, 4, 1, "cp.async"}};

  const auto outcome = kernel.run([](WarpContext* context) {
    context->address[0] = parameter(*context, 0);
    put<std::uint64_t>(*context, 0, 0, 0);
    put<std::uint32_t>(*context, 1, 0, 14);
    emu_copy(context, 0, 1, 1, 16);
  });

  EXPECT_EQ(outcome.fault, FaultKind::out_of_bounds);
  EXPECT_THAT(outcome.text, HasSubstr("load of 14 bytes"));
}

}  // namespace
}  // namespace emulator::runtime
