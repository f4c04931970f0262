// Which clusters a launch may have, by its own word, the kernel's directives and the program's
// attributes. What is expected is what an H200 answered (driver 580, CUDA 13.0).
#include "api/emulated_device.h"

namespace emulator::api {
namespace {

// What a launch asks for; all 0: nothing.
struct Cluster {
  unsigned x = 0;
  unsigned y = 0;
  unsigned z = 0;
};

class Clusters : public EmulatedDevice {
 protected:
  // A kernel with these directives. Each of its blocks writes the same: blocks of the grid in x and
  // y, clusters in x, blocks of a cluster, threads of a block, whether there is a cluster by
  // anybody's word. Then the threads that ran are counted.
  static CUfunction with(const std::string& directives) {
    return kernel(".visible .entry k(.param .u64 out) " + directives + R"( {
  .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %nctaid.x;            st.global.u32 [%rd1], %r1;
  mov.u32 %r2, %nctaid.y;            st.global.u32 [%rd1+4], %r2;
  mov.u32 %r3, %nclusterid.x;        st.global.u32 [%rd1+8], %r3;
  mov.u32 %r4, %cluster_nctarank;    st.global.u32 [%rd1+12], %r4;
  mov.u32 %r5, %ntid.x;              st.global.u32 [%rd1+16], %r5;
  mov.pred %p, %is_explicit_cluster;
  selp.u32 %r6, 1, 0, %p;            st.global.u32 [%rd1+20], %r6;
  atom.global.add.u32 %r7, [%rd1+24], 1;
  ret;
})");
  }

  struct Configuration {
    Configuration(unsigned grid, unsigned block, const Cluster& cluster) {
      attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      attribute.value.clusterDim = {cluster.x, cluster.y, cluster.z};
      config.gridDimX = grid;
      config.blockDimX = block;
      config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
      config.attrs = &attribute;
      config.numAttrs = 1;
    }
    CUlaunchAttribute attribute{};
    CUlaunchConfig config{};
  };

  CUresult launched(CUfunction function, unsigned grid, unsigned block, const Cluster& cluster) {
    const Configuration configuration(grid, block, cluster);
    out = allocate(7 * sizeof(std::uint32_t));
    EXPECT_EQ(cuMemsetD32(out, 0, 7), CUDA_SUCCESS);
    void* parameters[] = {&out};
    return cuLaunchKernelEx(&configuration.config, function, parameters, nullptr);
  }
  // What the last launch wrote.
  [[nodiscard]] std::vector<std::uint32_t> written() const { return read(out, 7); }

  static int attribute_of(CUfunction function, CUfunction_attribute which) {
    int value = -1;
    EXPECT_EQ(cuFuncGetAttribute(&value, which, function), CUDA_SUCCESS);
    return value;
  }

  CUdeviceptr out = 0;
};

using testing::ElementsAre;

constexpr int kRefused = -1;

constexpr Cluster kOne = {1, 1, 1};
constexpr Cluster kTwo = {2, 1, 1};
constexpr Cluster kFour = {4, 1, 1};
constexpr Cluster kEight = {8, 1, 1};

TEST_F(Clusters, AreThereByTheWordOfTheLaunch) {
  const CUfunction function = with("");

  EXPECT_EQ(launched(function, 8, 32, {}), CUDA_SUCCESS);
  EXPECT_THAT(written(), ElementsAre(8, 1, 8, 1, 32, 0, 256));
  EXPECT_EQ(launched(function, 8, 32, kOne), CUDA_SUCCESS);
  EXPECT_THAT(written(), ElementsAre(8, 1, 8, 1, 32, 1, 256));
  EXPECT_EQ(launched(function, 8, 32, kFour), CUDA_SUCCESS);
  EXPECT_THAT(written(), ElementsAre(8, 1, 2, 4, 32, 1, 256));
  EXPECT_EQ(launched(function, 8, 32, {0, 1, 1}), CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

TEST_F(Clusters, AreAskedForWhereTheKernelIsOfExplicitClusters) {
  const CUfunction function = with(".explicitcluster");
  const CUdeviceptr buffer = allocate(28);

  EXPECT_EQ(attribute_of(function, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET), 1);
  EXPECT_EQ(launch(function, {.grid = 8}, buffer), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launched(function, 8, 32, {}), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launched(function, 8, 32, kOne), CUDA_SUCCESS);
  EXPECT_EQ(launched(function, 8, 32, kTwo), CUDA_SUCCESS);
  EXPECT_THAT(written(), ElementsAre(8, 1, 4, 2, 32, 1, 256));
}

TEST_F(Clusters, NeedNotBeAskedForWhereTheKernelSaysTheirSize) {
  const CUfunction function = with(".explicitcluster .reqnctapercluster 2");

  EXPECT_EQ(launched(function, 8, 32, {}), CUDA_SUCCESS);
  EXPECT_THAT(written(), ElementsAre(8, 1, 4, 2, 32, 1, 256));
  EXPECT_EQ(launched(function, 8, 32, kTwo), CUDA_SUCCESS);
  EXPECT_EQ(launched(function, 8, 32, kOne), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launched(function, 8, 32, kFour), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launched(function, 3, 32, {}), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(attribute_of(with(".reqnctapercluster 2"), CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET),
            0);
}

TEST_F(Clusters, MayHaveAnySizeInADimensionThatTheKernelLeavesOpen) {
  const CUfunction function = with(".reqnctapercluster 2, 0");

  EXPECT_EQ(launched(function, 8, 32, {}), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launched(function, 8, 32, kTwo), CUDA_SUCCESS);
  EXPECT_EQ(launched(function, 8, 32, kFour), CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

TEST_F(Clusters, HaveNoMoreBlocksThanTheKernelAllows) {
  const CUfunction function = with(".maxclusterrank 4");

  EXPECT_EQ(launched(function, 8, 32, {}), CUDA_SUCCESS);
  EXPECT_EQ(launched(function, 8, 32, kFour), CUDA_SUCCESS);
  EXPECT_EQ(launched(function, 8, 32, kEight), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launched(function, 8, 32, {8, 2, 1}), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launched(with(".maxclusterrank 0"), 8, 32, kEight), CUDA_SUCCESS);
  EXPECT_EQ(launched(with(".maxclusterrank 16"), 16, 32, {16, 1, 1}),
            CUDA_ERROR_INVALID_CLUSTER_SIZE)
      << "not portable";
}

TEST_F(Clusters, AreCountedByTheGridWhereBlocksAreClusters) {
  const CUfunction function = with(".blocksareclusters .reqntid 64 .reqnctapercluster 2, 2");

  EXPECT_EQ(launched(function, 3, 64, {}), CUDA_SUCCESS);
  EXPECT_THAT(written(), ElementsAre(6, 2, 3, 4, 64, 1, 768));
  EXPECT_EQ(launched(function, 3, 64, {2, 2, 1}), CUDA_SUCCESS);
  EXPECT_THAT(written(), ElementsAre(6, 2, 3, 4, 64, 1, 768));
  EXPECT_EQ(launched(function, 3, 64, kTwo), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launched(function, 0x7fffffff, 64, {}), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Clusters, AreCountedByTheGridOfAGraphsNode) {
  CUfunction function = with(".blocksareclusters .reqntid 64 .reqnctapercluster 2");
  out = allocate(28);
  ASSERT_EQ(cuMemsetD32(out, 0, 7), CUDA_SUCCESS);
  void* arguments[] = {&out};
  CUDA_KERNEL_NODE_PARAMS parameters{};
  parameters.func = function;
  parameters.gridDimX = 3;
  parameters.blockDimX = 64;
  parameters.gridDimY = parameters.gridDimZ = parameters.blockDimY = parameters.blockDimZ = 1;
  parameters.kernelParams = arguments;
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddKernelNode(&node, graph, nullptr, 0, &parameters), CUDA_SUCCESS);

  CUDA_KERNEL_NODE_PARAMS answered{};
  EXPECT_EQ(cuGraphKernelNodeGetParams(node, &answered), CUDA_SUCCESS);
  EXPECT_EQ(answered.gridDimX, 3);
  ASSERT_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(exec, nullptr), CUDA_SUCCESS);
  EXPECT_THAT(written(), ElementsAre(6, 1, 3, 2, 64, 1, 384));
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
}

// __block_size__ leaves the size of a block to the kernel: nvcc launches blocks of one thread.
TEST_F(Clusters, HaveTheBlocksThatTheKernelRequiresWhereTheLaunchSaysOne) {
  const CUfunction of_clusters = with(".blocksareclusters .reqntid 64 .reqnctapercluster 2");
  const CUfunction of_blocks = with(".reqntid 64");

  EXPECT_EQ(launched(of_clusters, 3, 1, {}), CUDA_SUCCESS);
  EXPECT_THAT(written(), ElementsAre(6, 1, 3, 2, 64, 1, 384));
  EXPECT_EQ(launched(of_blocks, 3, 1, {}), CUDA_SUCCESS);
  EXPECT_THAT(written(), ElementsAre(3, 1, 3, 1, 64, 0, 192));
  EXPECT_EQ(launched(of_clusters, 3, 32, {}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launched(of_blocks, 3, 32, {}), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Clusters, HaveTheSizeThatTheProgramSetsWhereTheKernelSaysNone) {
  const CUfunction function = with(".explicitcluster");
  const CUfunction of_two = with(".reqnctapercluster 2");
  const auto set = [](CUfunction of, CUfunction_attribute which, int value) {
    return cuFuncSetAttribute(of, which, value);
  };

  EXPECT_EQ(set(function, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 4), CUDA_SUCCESS);
  EXPECT_EQ(attribute_of(function, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH), 4);
  EXPECT_EQ(launched(function, 8, 32, {}), CUDA_ERROR_INVALID_CLUSTER_SIZE) << "0 in y and z";
  EXPECT_EQ(set(function, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 1), CUDA_SUCCESS);
  EXPECT_EQ(set(function, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 1), CUDA_SUCCESS);
  EXPECT_EQ(launched(function, 8, 32, {}), CUDA_SUCCESS);
  EXPECT_THAT(written(), ElementsAre(8, 1, 2, 4, 32, 1, 256));
  EXPECT_EQ(launched(function, 8, 32, kTwo), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(set(function, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, -1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set(of_two, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set(function, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Clusters, OfASizeThatTheKernelRefusesHaveNoOccupancy) {
  const auto active = [](CUfunction function, const Cluster& cluster) {
    const Configuration configuration(16, 32, cluster);
    int clusters = kRefused;
    (void)cuOccupancyMaxActiveClusters(&clusters, function, &configuration.config);
    return clusters;
  };

  EXPECT_EQ(active(with(""), {}), 0);
  EXPECT_GT(active(with(""), kEight), 0);
  EXPECT_EQ(active(with(".explicitcluster"), {}), kRefused);
  EXPECT_GT(active(with(".explicitcluster"), kOne), 0);
  EXPECT_GT(active(with(".reqnctapercluster 2"), {}), 0);
  EXPECT_EQ(active(with(".reqnctapercluster 2"), kFour), kRefused);
  EXPECT_GT(active(with(".maxclusterrank 4"), kFour), 0);
  EXPECT_EQ(active(with(".maxclusterrank 4"), kEight), kRefused);
}

// An H200 names the largest cluster of the device, whatever .maxclusterrank says.
TEST_F(Clusters, OfTheLargestSizeAreTheDevices) {
  const auto largest = [](CUfunction function, const Cluster& cluster) {
    const Configuration configuration(16, 32, cluster);
    int blocks = kRefused;
    (void)cuOccupancyMaxPotentialClusterSize(&blocks, function, &configuration.config);
    return blocks;
  };

  EXPECT_EQ(largest(with(".maxclusterrank 4"), {}), 8);
  EXPECT_EQ(largest(with(".maxclusterrank 4"), kEight), kRefused);
  EXPECT_EQ(largest(with(".reqnctapercluster 2"), {}), 8);
  EXPECT_EQ(largest(with(".explicitcluster"), {}), kRefused);
}

// Each block reads what the other one's shared memory holds at one place, all its lanes the same.
TEST_F(Clusters, ReadOneWordOfAnotherBlockInAllLanes) {
  out = allocate(64 * sizeof(std::uint32_t));
  void* parameters[] = {&out};
  CUfunction function = kernel(R"(
.shared .align 4 .b32 word;
.visible .entry k(.param .u64 out) .reqnctapercluster 2 {
  .reg .pred %p<3>; .reg .b32 %r<10>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %cluster_ctarank;
  add.u32 %r3, %r2, 70;
  mov.u32 %r9, 5;
  st.shared.u32 [word], %r3;
  barrier.cluster.arrive; barrier.cluster.wait;
  xor.b32 %r4, %r2, 1;
  mov.u32 %r5, word;
  mapa.shared::cluster.u32 %r6, %r5, %r4;
  ld.shared::cluster.u32 %r7, [%r6];
  setp.eq.u32 %p1, %r2, 0;
  @%p1 ld.shared::cluster.u32 %r9, [%r6];
  mad.lo.u32 %r7, %r9, 1000, %r7;
  mad.lo.u32 %r8, %r2, 32, %r1;
  mul.wide.u32 %rd2, %r8, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r7;
  barrier.cluster.arrive; barrier.cluster.wait;
  ret;
})");

  EXPECT_EQ(cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr),
            CUDA_SUCCESS);

  const std::vector<std::uint32_t> words = read(out, 64);
  EXPECT_THAT(std::vector(words.begin(), words.begin() + 32), testing::Each(71071));
  EXPECT_THAT(std::vector(words.begin() + 32, words.end()), testing::Each(5070));
}

// Without .aligned, lanes of a warp may come to the cluster's barrier one by one.
TEST_F(Clusters, MeetWhereLanesOfAWarpArriveInDifferentPlaces) {
  out = allocate(4);
  EXPECT_EQ(cuMemsetD32(out, 0, 1), CUDA_SUCCESS);
  void* parameters[] = {&out};
  CUfunction function = kernel(R"(
.visible .entry k(.param .u64 out) .reqnctapercluster 2 {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p, %r1, 7;
  @%p bra FEW;
  barrier.cluster.arrive;
  bra MEET;
FEW:
  barrier.cluster.arrive;
MEET:
  barrier.cluster.wait;
  red.global.add.u32 [%rd1], 1;
  ret;
})");

  EXPECT_EQ(cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(read(out, 1), std::vector<std::uint32_t>{256});
}

// The first block of each cluster does this to an mbarrier of the second, at %r3, which has ended.
class EndedBlocks : public Clusters {
 protected:
  CUresult result_of(const std::string& statement) {
    out = allocate(8);
    CUfunction function = kernel(R"(
.shared .align 8 .b64 barrier;
.visible .entry k(.param .u64 out) .reqnctapercluster 2 {
  .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<3>;
  mov.u32 %r1, %cluster_ctarank;
  mov.u32 %r2, barrier;
  mbarrier.init.shared.b64 [%r2], 2;
  barrier.cluster.arrive; barrier.cluster.wait;
  setp.eq.u32 %p, %r1, 1;
  @%p ret;
  mapa.shared::cluster.u32 %r3, %r2, 1;
  )" + statement + R"(
  ld.param.u64 %rd1, [out];
  st.global.u32 [%rd1], 7;
  ret;
})");
    void* parameters[] = {&out};
    const CUresult result =
        cuLaunchKernel(function, 4, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr);
    return result != CUDA_SUCCESS ? result : cuCtxSynchronize();
  }
};

TEST_F(EndedBlocks, LetArrivalsAtTheirBarriersPass) {
  EXPECT_EQ(result_of("mbarrier.arrive.shared::cluster.b64 _, [%r3];"), CUDA_SUCCESS);
  EXPECT_EQ(read(out, 1), std::vector<std::uint32_t>{7});
}

TEST_F(EndedBlocks, HaveNoSharedMemoryToBeReadOrWritten) {
  for (const char* statement :
       {"ld.shared::cluster.u32 %r4, [%r3];", "st.shared::cluster.u32 [%r3], 1;",
        "mbarrier.arrive.shared::cluster.b64 _, [%r3+1048576];"}) {
    EXPECT_EQ(result_of(statement), CUDA_ERROR_ILLEGAL_ADDRESS) << statement;
    EXPECT_THAT(emuFaultReport(), testing::HasSubstr("of the cluster's block 1"));
    TearDown();
    SetUp();
  }
}

}  // namespace
}  // namespace emulator::api
