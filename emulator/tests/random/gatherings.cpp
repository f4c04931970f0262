// What all threads of a block or a cluster do together with Hopper's instructions: words sent to
// the other block, copies that an mbarrier waits for, and products of a warp or a warpgroup.
#include <fmt/format.h>

#include <bit>
#include <string>

#include "random/numbers.h"
#include "random/program.h"

namespace emulator::testing::random {
namespace {

constexpr Kind kWord = Kind::b32;

constexpr const char* kMeet =
    " barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;";
// Until the phase that the thread counts is complete.
constexpr const char* kWait =
    " { .reg .pred %w; again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %w, [full], "
    "%phase; @!%w bra again; } xor.b32 %phase, %phase, 1;";

std::string expect(const char* bytes) {
  return fmt::format(" @%lead mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], {};", bytes);
}

// ---- words for the other block
// ---------------------------------------------------------------

std::size_t in_other_block(const Gathered& all, std::size_t thread) {
  return (thread + all.block) % all.operands.size();
}

// Sends A, by way of what the text does with the other block's word in %T and its mbarrier in %x.
std::string sent(const std::string& text) {
  return expect("%words") + kMeet +
         " mapa.shared::cluster.u32 T, %ex, %other; mov.u32 %x, full; mapa.shared::cluster.u32 "
         "%x, %x, %other; " +
         text + kWait + " ld.shared.b32 D, [%ex];" + kMeet;
}

void add_words_for_the_other_block(std::vector<Gathering>& all) {
  const auto other = [](const Gathered& v, std::size_t thread) {
    return v.operands[in_other_block(v, thread)][0];
  };
  all.push_back({"ld.shared::cluster",
                 std::string("st.shared.b32 [%ex], A;") + kMeet +
                     " mapa.shared::cluster.u32 T, %ex, %other; ld.shared::cluster.b32 D, [%T];" +
                     kMeet,
                 Among::cluster,
                 {kWord},
                 other});
  all.push_back(
      {"st.async",
       sent("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%T], A, [%x];"),
       Among::cluster,
       {kWord},
       other});
  for (const Reduction& reduction : reductions()) {
    all.push_back({fmt::format("red.async.{}", reduction.text),
                   "st.shared.b32 [%ex], B;" +
                       sent(fmt::format("red.async.relaxed.cluster.shared::cluster.mbarrier::"
                                        "complete_tx::bytes.{} [%T], A, [%x];",
                                        reduction.text)),
                   Among::cluster,
                   {kWord, kWord},
                   [apply = reduction.apply](const Gathered& v, std::size_t thread) {
                     const std::uint64_t old = v.operands[thread][1];
                     const std::uint64_t sent = v.operands[in_other_block(v, thread)][0];
                     return std::uint64_t{
                         apply(static_cast<std::uint32_t>(old), static_cast<std::uint32_t>(sent))};
                   }});
  }
  all.push_back(
      {"cp.async.bulk.shared::cluster.shared::cta",
       "st.shared.b32 [%ex], A; fence.proxy.async;" + expect("%room") + kMeet +
           " mov.u32 T, landing; mapa.shared::cluster.u32 T, %T, %other; mov.u32 %x, full; "
           "mapa.shared::cluster.u32 %x, %x, %other; @%lead "
           "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%T], "
           "[exchanged], %room, [%x];" +
           kWait + " ld.shared.b32 D, [%land];" + kMeet,
       Among::cluster,
       {kWord},
       other});
}

// ---- copies
// ----------------------------------------------------------------------------------

// The kernel's tensor map is of the input that all threads may read (program.h).
constexpr unsigned kBoxWords = kMapBox[0] * kMapBox[1];

// The box begins where the starting thread says, at a multiple of 16 bytes of a row and perhaps
// outside the tensor.
std::uint64_t of_box(const Gathered& all, std::size_t thread, const Operands& starter) {
  const auto i = static_cast<unsigned>(thread % all.block % kBoxWords);
  const int column = static_cast<int>(starter[0] & 28U) - 8 + static_cast<int>(i % kMapBox[0]);
  const int row = static_cast<int>(starter[1] % 8) - 2 + static_cast<int>(i / kMapBox[0]);
  if (column < 0 || column >= int{kMapDims[0]} || row < 0 || row >= int{kMapDims[1]}) return 0;
  const auto index = static_cast<unsigned>(row) * kMapDims[0] + static_cast<unsigned>(column);
  return low_bits(all.input[index / 2] >> index % 2 * 32, 32);
}

std::string copied(const char* who, const char* multicast, const char* mask) {
  return fmt::format(
             " and.b32 %x, A, 28; sub.u32 %x, %x, 8; and.b32 T, B, 7; sub.u32 T, %T, 2; mov.u16 U, "
             "3; mov.b64 V, k_map; cvta.param.u64 V, %V; @{} "
             "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes{} "
             "[landing], [%V, {{%x, %T}}], [full]{};",
             who, multicast, mask) +
         kWait +
         fmt::format(
             " and.b32 %x, %t, {}; mov.u32 T, landing; mad.lo.u32 %x, %x, 4, %T; "
             "ld.shared.b32 D, [%x];",
             kBoxWords - 1);
}

void add_copies(std::vector<Gathering>& all) {
  const std::string bytes = std::to_string(kBoxWords * 4);
  all.push_back({"cp.async.bulk.tensor",
                 expect(bytes.c_str()) + copied("%lead", "", "") + " bar.sync 0;",
                 Among::block,
                 {kWord, kWord},
                 [](const Gathered& v, std::size_t thread) {
                   return of_box(v, thread, v.operands[thread / v.block * v.block]);
                 }});
  all.push_back(
      {"cp.async.bulk.tensor.multicast::cluster",
       expect(bytes.c_str()) + kMeet + copied("%first", ".multicast::cluster", ", %U") + kMeet,
       Among::cluster,
       {kWord, kWord},
       [](const Gathered& v, std::size_t thread) { return of_box(v, thread, v.operands[0]); }});
}

// ---- products
// --------------------------------------------------------------------------------

int byte_of(std::uint64_t word, unsigned index) {
  return static_cast<int>(integer(word >> 8 * index, 8, true));
}

// All four accumulators of a thread, as one word.
constexpr const char* kFolded =
    " xor.b32 %g0, %g0, %g1; xor.b32 %g2, %g2, %g3; sub.u32 D, %g0, %g2; }";
template <typename Accumulator>
std::uint64_t folded(Accumulator d) {
  return low_bits(std::uint64_t{d(0) ^ d(1)} - (d(2) ^ d(3)), 32);
}

// What thread `thread` of a warp that begins at `warp` has of the product, whose rows of A and
// columns of B are given byte by byte (PTX ISA, mma.m16n8k32; wgmma.m64n8k32 lays out its own so).
template <typename OfA, typename OfB>
std::uint64_t product(unsigned lane, const Operands& begin, OfA a, OfB b) {
  const std::array<std::uint64_t, 4> c = {begin[0], begin[1], begin[2], begin[0]};
  return folded([&](unsigned i) {
    const unsigned row = lane / 4 + i / 2 * 8;
    const unsigned column = lane % 4 * 2 + i % 2;
    auto sum = static_cast<std::uint32_t>(c[i]);
    for (unsigned k = 0; k < 32; ++k) sum += static_cast<std::uint32_t>(a(row, k) * b(k, column));
    return sum;
  });
}

// Of four bytes along K the first and the last are there, in every group.
constexpr unsigned kKept[] = {0, 3};
constexpr const char* kKeptAsMetadata = "0xcccccccc";

void add_products(std::vector<Gathering>& all) {
  all.push_back({"mma.sp",
                 fmt::format("{{ .reg .b32 %g<4>; mov.u32 T, {}; "
                             "mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {{%g0, %g1, %g2, "
                             "%g3}}, {{A, B}}, {{B, C}}, {{A, B, C, A}}, %T, 0x0;{}",
                             kKeptAsMetadata, kFolded),
                 Among::warp,
                 {kWord, kWord, kWord},
                 [](const Gathered& v, std::size_t thread) {
                   const std::size_t warp = thread / 32 * 32;
                   const auto a = [&](unsigned row, unsigned k) {
                     if (k % 4 != kKept[0] && k % 4 != kKept[1]) return 0;
                     const unsigned kept = k / 4 * 2 + (k % 4 == kKept[1] ? 1 : 0);
                     return byte_of(v.operands[warp + row % 8 * 4 + kept / 4][row / 8], kept % 4);
                   };
                   const auto b = [&](unsigned k, unsigned column) {
                     return byte_of(v.operands[warp + column * 4 + k % 16 / 4][1 + k / 16], k % 4);
                   };
                   return product(static_cast<unsigned>(thread % 32), v.operands[thread], a, b);
                 }});
  // B's eight columns of 32 bytes are two core matrices, one behind the other (PTX ISA, matrix
  // descriptors without swizzle).
  all.push_back(
      {"wgmma.mma_async",
       fmt::format("{{ .reg .b32 %g<4>; .reg .b64 %e; .reg .pred %w; setp.lt.u32 %w, %t, 64; "
                   "mov.u32 T, tile; mad.lo.u32 %x, %t, 4, %T; @%w st.shared.b32 [%x], C; "
                   "fence.proxy.async; bar.sync 0; and.b32 T, %T, 0x3ffff; shr.u32 T, %T, 4; "
                   "cvt.u64.u32 %e, %T; or.b64 "
                   "%e, %e, 0x0000001000080000; mov.u32 %g0, A; mov.u32 %g1, B; mov.u32 %g2, C; "
                   "mov.u32 %g3, A; setp.eq.u32 %w, 0, 0; wgmma.fence.sync.aligned; "
                   "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {{%g0, %g1, %g2, %g3}}, "
                   "{{A, B, C, A}}, %e, %w; wgmma.commit_group.sync.aligned; "
                   "wgmma.wait_group.sync.aligned 0; bar.sync 0;{}",
                   kFolded),
       Among::warpgroup,
       {kWord, kWord, kWord},
       [](const Gathered& v, std::size_t thread) {
         const std::size_t warp = thread / 32 * 32;
         const std::size_t block = thread / v.block * v.block;
         constexpr unsigned kOfA[] = {0, 1, 2, 0};
         const auto a = [&](unsigned row, unsigned k) {
           const unsigned reg = k / 16 * 2 + row / 8;
           return byte_of(v.operands[warp + row % 8 * 4 + k % 16 / 4][kOfA[reg]], k % 4);
         };
         const auto b = [&](unsigned k, unsigned column) {
           return byte_of(v.operands[block + k / 16 * 32 + column * 4 + k % 16 / 4][2], k % 4);
         };
         return product(static_cast<unsigned>(thread % 32), v.operands[thread], a, b);
       }});
}

}  // namespace

const std::vector<Gathering>& gatherings() {
  static const std::vector<Gathering> kAll = [] {
    std::vector<Gathering> all;
    add_words_for_the_other_block(all);
    add_copies(all);
    add_products(all);
    return all;
  }();
  return kAll;
}

bool possible(const Gathering& gathering, const Program& program) {
  switch (gathering.among) {
    case Among::warp:
      return program.threads() % 32 == 0;
    case Among::warpgroup:
      return program.threads() % 128 == 0;
    case Among::block:
      return true;
    case Among::cluster:
      return program.cluster == program.blocks;
  }
  return false;
}

}  // namespace emulator::testing::random
