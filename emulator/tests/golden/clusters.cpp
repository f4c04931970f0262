// Blocks of a cluster: what they are called, and what they write into each other's shared memory.
#include <fmt/format.h>

#include "golden/cases.h"
#include "golden/elements.h"

namespace emulator::golden {
namespace {

constexpr unsigned kThreads = 32;
constexpr unsigned kBoxBytes = 4096;

// A kernel of `blocks` blocks that leaves what `shown` bytes of each block's shared memory hold.
std::string around(const std::string& body, unsigned shown, const std::string& declarations = "") {
  return fmt::format(R"(.version 8.4
.target sm_90
.address_size 64
.shared .align 1024 .b8 box[{0}];
.shared .align 8 .b64 barrier;
.visible .entry k({2}.param .u64 out) {{
  .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .pred %p<8>; .reg .b16 %h<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, box;
  mov.u32 %r3, barrier;
  mov.u32 %r4, %cluster_ctarank;
  mov.u32 %r5, %cluster_nctarank;
  shl.b32 %r6, %r1, 2;
  mov.u32 %r7, %r6;
CLEAR:
  add.u32 %r8, %r2, %r7;
  shl.b32 %r9, %r4, 16;
  or.b32 %r9, %r9, %r7;
  st.shared.b32 [%r8], %r9;
  add.u32 %r7, %r7, 128;
  setp.lt.u32 %p0, %r7, {0};
  @%p0 bra CLEAR;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra READY;
  mbarrier.init.shared.b64 [%r3], 1;
  fence.mbarrier_init.release.cluster;
READY:
  fence.proxy.async;
  barrier.cluster.arrive.release.aligned;
  barrier.cluster.wait.acquire.aligned;
{1}
  barrier.cluster.arrive.release.aligned;
  barrier.cluster.wait.acquire.aligned;
  mov.u32 %r10, %ctaid.x;
  mul.lo.u32 %r10, %r10, {0};
  mov.u32 %r7, %r6;
SHOW:
  add.u32 %r8, %r2, %r7;
  ld.shared.b32 %r9, [%r8];
  add.u32 %r11, %r10, %r7;
  cvt.u64.u32 %rd2, %r11;
  add.u64 %rd2, %rd1, %rd2;
  st.global.b32 [%rd2], %r9;
  add.u32 %r7, %r7, 128;
  setp.lt.u32 %p0, %r7, {0};
  @%p0 bra SHOW;
  ret;
}}
)",
                     shown, body, declarations);
}

constexpr const char* kWait = R"(
  mov.u32 %r30, 0;
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p6, [%r3], 0;
  @%p6 bra DONE;
  add.u32 %r30, %r30, 1;
  setp.lt.u32 %p7, %r30, 100000;
  @%p7 bra WAIT;
  st.shared.b32 [%r2], 0xdead;
DONE:
)";

// The next block of the cluster, as %r12; %r13 and %rd3 are where its `box` is.
constexpr const char* kNext = R"(
  add.u32 %r12, %r4, 1;
  rem.u32 %r12, %r12, %r5;
  mapa.shared::cluster.u32 %r13, %r2, %r12;
  mapa.shared::cluster.u32 %r14, %r3, %r12;
)";

struct Program {
  const char* name;
  std::string body;
};

std::vector<Program> programs() {
  return {
      {"special registers", R"(
  mov.u32 %r20, %clusterid.x;   st.shared.b32 [%r2], %r20;
  mov.u32 %r20, %nclusterid.x;  st.shared.b32 [%r2+4], %r20;
  mov.u32 %r20, %cluster_ctaid.x;   st.shared.b32 [%r2+8], %r20;
  mov.u32 %r20, %cluster_nctaid.x;  st.shared.b32 [%r2+12], %r20;
  mov.u32 %r20, %cluster_ctarank;   st.shared.b32 [%r2+16], %r20;
  mov.u32 %r20, %cluster_nctarank;  st.shared.b32 [%r2+20], %r20;
  mov.u32 %r20, %cluster_ctaid.y;   st.shared.b32 [%r2+24], %r20;
  mov.u32 %r20, %cluster_nctaid.z;  st.shared.b32 [%r2+28], %r20;
  mov.pred %p2, %is_explicit_cluster;
  selp.u32 %r20, 1, 0, %p2; st.shared.b32 [%r2+32], %r20;
)"},
      {"stores and loads by 32-bit addresses", std::string(kNext) + R"(
  add.u32 %r15, %r13, %r6;
  mad.lo.u32 %r16, %r4, 1000, %r1;
  st.shared::cluster.u32 [%r15], %r16;
  ld.shared::cluster.u32 %r17, [%r15+1024];
  st.shared::cluster.u32 [%r15+128], %r17;
  atom.shared::cluster.add.u32 %r18, [%r13+256], 3;
  red.shared::cluster.max.u32 [%r13+260], 99;
  getctarank.shared::cluster.u32 %r19, %r13;
  st.shared.b32 [%r2+264], %r19;
  getctarank.shared::cluster.u32 %r19, %r2;
  st.shared.b32 [%r2+268], %r19;
)"},
      {"stores and loads by generic addresses", std::string(kNext) + R"(
  cvt.u64.u32 %rd3, %r2;
  cvta.shared.u64 %rd3, %rd3;
  mapa.u64 %rd4, %rd3, %r12;
  cvt.u64.u32 %rd5, %r6;
  add.u64 %rd5, %rd4, %rd5;
  mad.lo.u32 %r16, %r4, 1000, %r1;
  st.u32 [%rd5], %r16;
  ld.u32 %r17, [%rd5+1024];
  st.u32 [%rd5+128], %r17;
  atom.add.u32 %r18, [%rd4+256], 3;
  getctarank.u64 %r19, %rd4;
  st.shared.b32 [%r2+264], %r19;
  isspacep.shared::cluster %p2, %rd4;
  isspacep.shared::cta %p3, %rd4;
  selp.u32 %r19, 1, 0, %p2; st.shared.b32 [%r2+268], %r19;
  selp.u32 %r19, 1, 0, %p3; st.shared.b32 [%r2+272], %r19;
)"},
      {"arrivals at another block's mbarrier", std::string(kNext) + R"(
  @%p1 bra WAITS;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r14];
WAITS:
)" + kWait},
      {"st.async", std::string(kNext) + R"(
  @%p1 bra EXPECTS;
  mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 896;
EXPECTS:
  add.u32 %r15, %r13, %r6;
  mad.lo.u32 %r16, %r4, 1000, %r1;
  st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r15], %r16, [%r14];
  shl.b32 %r21, %r1, 3;
  add.u32 %r15, %r13, %r21;
  cvt.u64.u32 %rd6, %r16;
  st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r15+256], %rd6, [%r14];
  shl.b32 %r21, %r1, 4;
  add.u32 %r15, %r13, %r21;
  st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r15+1024], {%r16, %r1, %r4, %r6}, [%r14];
)" + kWait},
      {"red.async", std::string(kNext) + R"(
  @%p1 bra EXPECTS;
  mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 512;
EXPECTS:
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r13], %r1, [%r14];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%r13+4], %r1, [%r14];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r13+8], 20, [%r14];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [%r13+12], %r6, [%r14];
)" + kWait},
      {"copies in bulk to another block", std::string(kNext) + R"(
  @%p1 bra WAITS;
  mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 512;
  add.u32 %r15, %r13, 1024;
  cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r15], [%r2], 512, [%r14];
WAITS:
)" + kWait},
      {"copies in bulk to several blocks", std::string(kNext) + R"(
  @%p1 bra WAITS;
  mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 256;
  setp.ne.u32 %p2, %r4, 1;
  @%p2 bra WAITS;
  mov.b16 %h1, 0xffff;
  mov.u32 %r22, 1;
  shl.b32 %r22, %r22, %r5;
  sub.u32 %r22, %r22, 1;
  cvt.u16.u32 %h1, %r22;
  add.u32 %r15, %r2, 512;
  mov.u32 %r23, %nctaid.x;
  mul.wide.u32 %rd7, %r23, 4096;
  add.u64 %rd7, %rd1, %rd7;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r15], [%rd7], 256, [%r3], %h1;
WAITS:
)" + kWait},
  };
}

Words run_program(const Program& program, unsigned cluster) {
  const unsigned blocks = cluster * 2;
  // Behind what the blocks show lies what one of the programs copies.
  constexpr std::size_t kBehind = 64;
  const Memory out(random_words(Element::b1, std::size_t{blocks} * kBoxBytes / 4 + kBehind, 9));
  run(around(program.body, kBoxBytes), {.blocks = blocks, .threads = kThreads, .cluster = cluster},
      {}, std::array{out.address()});
  return out.read();
}

// The second block of a cluster copies a box for those whose bits are set.
Words run_multicast(unsigned cluster, unsigned mask, const std::vector<int>& at,
                    CUtensorMapSwizzle swizzle) {
  const unsigned blocks = cluster * 2;
  TensorMap map = {.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                   .dims = {100, 60},
                   .strides = {400},
                   .box = {16, 12},
                   .element_strides = {1, 1}};
  map.swizzle = swizzle;
  const Memory tensor(random_words(Element::b1, std::size_t{100} * 60, 11));
  const Memory out(std::size_t{blocks} * kBoxBytes);
  const std::string body = fmt::format(R"(
  shr.u32 %r20, {0}, %r4;
  and.b32 %r20, %r20, 1;
  setp.eq.u32 %p3, %r20, 0;
  @%p3 bra DONE;
  @%p1 bra WAITS;
  mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 768;
WAITS:
  barrier.cluster.arrive.release;
  barrier.cluster.wait.acquire;
  setp.ne.u32 %p2, %r4, 1;
  @%p2 bra ISSUED;
  @%p1 bra ISSUED;
  mov.b64 %rd5, map;
  cvta.param.u64 %rd6, %rd5;
  mov.b32 %r21, {1};
  mov.b32 %r22, {2};
  mov.b16 %h1, {0};
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%rd6, {{%r21, %r22}}], [%r3], %h1;
ISSUED:
)",
                                       mask, at[0], at[1]);
  std::string all = around(body + kWait, kBoxBytes, ".param .align 64 .b8 map[128], ");
  // Those that are not meant wait for the barrier of the others as well.
  const std::string gate = "@%p3 bra DONE;";
  all.replace(all.find(gate), gate.size(), "@%p3 bra WAITS;");
  const std::string wait = "ISSUED:\n";
  all.replace(all.find(wait), wait.size(), "ISSUED:\n  @%p3 bra DONE;\n");
  run(all, {.blocks = blocks, .threads = kThreads, .cluster = cluster},
      std::array{map.over(tensor.address())}, std::array{out.address()});
  return out.read();
}

}  // namespace

std::vector<Case> clusters() {
  std::vector<Case> cases;
  for (const Program& program : programs()) {
    for (const unsigned cluster : {2U, 3U, 8U, 16U})
      cases.push_back({fmt::format("cluster of {}: {}", cluster, program.name),
                       [=] { return run_program(program, cluster); }});
  }
  struct Multicast {
    unsigned cluster, mask;
    CUtensorMapSwizzle swizzle;
  };
  for (const auto& [cluster, mask, swizzle] :
       {Multicast{2, 3, CU_TENSOR_MAP_SWIZZLE_NONE}, Multicast{2, 1, CU_TENSOR_MAP_SWIZZLE_64B},
        Multicast{4, 0xA, CU_TENSOR_MAP_SWIZZLE_64B},
        Multicast{8, 0xFF, CU_TENSOR_MAP_SWIZZLE_NONE},
        Multicast{16, 0x8421, CU_TENSOR_MAP_SWIZZLE_64B}}) {
    for (const std::vector<int>& at : {std::vector<int>{4, 3}, {88, 55}})
      cases.push_back(
          {fmt::format("cluster of {}: a box to blocks {:#x}{} at ({},{})", cluster, mask,
                       swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? "" : ", swizzled", at[0], at[1]),
           [=] { return run_multicast(cluster, mask, at, swizzle); }});
  }
  return cases;
}

}  // namespace emulator::golden
