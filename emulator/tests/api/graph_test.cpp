#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "api/emulated_device.h"

namespace emulator::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// *value = *value * factor + summand: the order of two shows in the result.
constexpr const char* kStep = R"(
.visible .entry k(.param .u64 value, .param .u32 factor, .param .u32 summand) {
  .reg .b32 %r<5>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [value];
  ld.param.u32 %r1, [factor];
  ld.param.u32 %r2, [summand];
  ld.global.u32 %r3, [%rd1];
  mad.lo.u32 %r4, %r3, %r1, %r2;
  st.global.u32 [%rd1], %r4;
  ret;
})";

class Graphs : public EmulatedDevice {
 protected:
  void SetUp() override {
    EmulatedDevice::SetUp();
    ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
    step = kernel(kStep);
    value = allocate(4);
    set_value(0);
  }
  void TearDown() override {
    EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
    EmulatedDevice::TearDown();
  }

  // The arguments of one step; `parameters` points into it.
  struct Step {
    Step(CUfunction function, CUdeviceptr where, unsigned factor_, unsigned summand_)
        : value(where), factor(factor_), summand(summand_) {
      parameters.func = function;
      parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
      parameters.blockDimX = parameters.blockDimY = parameters.blockDimZ = 1;
      parameters.kernelParams = arguments;
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step() = default;

    CUdeviceptr value;
    unsigned factor;
    unsigned summand;
    void* arguments[3] = {&value, &factor, &summand};
    CUDA_KERNEL_NODE_PARAMS parameters{};
  };

  void set_value(std::uint32_t number) const {
    EXPECT_EQ(cuMemcpyHtoD(value, &number, 4), CUDA_SUCCESS);
  }
  [[nodiscard]] std::uint32_t get_value() const { return read(value, 1)[0]; }

  CUgraphNode add_step(unsigned factor, unsigned summand, std::vector<CUgraphNode> after = {}) {
    const Step what(step, value, factor, summand);
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddKernelNode(&node, graph, after.data(), after.size(), &what.parameters),
              CUDA_SUCCESS);
    return node;
  }
  static CUgraphExec ready(CUgraph of) {
    CUgraphExec exec = nullptr;
    EXPECT_EQ(cuGraphInstantiate(&exec, of, 0), CUDA_SUCCESS);
    return exec;
  }
  void run(CUgraphExec exec) const {
    EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  }
  static std::vector<CUgraphNode> nodes_of(CUgraph of) {
    std::size_t count = 0;
    EXPECT_EQ(cuGraphGetNodes(of, nullptr, &count), CUDA_SUCCESS);
    std::vector<CUgraphNode> nodes(count);
    EXPECT_EQ(cuGraphGetNodes(of, nodes.data(), &count), CUDA_SUCCESS);
    return nodes;
  }

  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUfunction step = nullptr;
  CUdeviceptr value = 0;
};

TEST_F(Graphs, RunNodesBehindThoseTheyDependOn) {
  // Made in the opposite order of the one they have to run in.
  const CUgraphNode last = add_step(10, 3);
  const CUgraphNode middle = add_step(10, 2);
  const CUgraphNode first = add_step(10, 1);
  const CUgraphNode from[] = {first, middle};
  const CUgraphNode to[] = {middle, last};
  ASSERT_EQ(cuGraphAddDependencies(graph, from, to, nullptr, 2), CUDA_SUCCESS);
  const CUgraphExec exec = ready(graph);

  run(exec);
  EXPECT_EQ(get_value(), 123);
  run(exec);
  EXPECT_EQ(get_value(), 123123);

  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, HoldAllKindsOfNodes) {
  const std::uint32_t seven = 7;
  std::uint32_t seen = 0;
  CUevent done = nullptr;
  ASSERT_EQ(cuEventCreate(&done, 0), CUDA_SUCCESS);
  CUgraphNode node = nullptr;
  CUgraphNode before = nullptr;
  const auto append = [&](CUresult result) {
    EXPECT_EQ(result, CUDA_SUCCESS);
    before = node;
  };

  const CUDA_MEMSET_NODE_PARAMS fill = {value, 0, 0x01010101, 4, 1, 1};
  append(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context));
  const Step doubled(step, value, 2, 1);
  append(cuGraphAddKernelNode(&node, graph, &before, 1, &doubled.parameters));
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = value;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = &seen;
  copy.WidthInBytes = 4;
  copy.Height = copy.Depth = 1;
  append(cuGraphAddMemcpyNode(&node, graph, &before, 1, &copy, context));
  const CUDA_HOST_NODE_PARAMS host = {[](void* data) { *static_cast<std::uint32_t*>(data) += 1; },
                                      &seen};
  append(cuGraphAddHostNode(&node, graph, &before, 1, &host));
  append(cuGraphAddEmptyNode(&node, graph, &before, 1));
  append(cuGraphAddEventRecordNode(&node, graph, &before, 1, done));
  append(cuGraphAddEventWaitNode(&node, graph, &before, 1, done));
  CUgraph child = nullptr;
  ASSERT_EQ(cuGraphCreate(&child, 0), CUDA_SUCCESS);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = &seven;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = value;
  CUgraphNode inner = nullptr;
  ASSERT_EQ(cuGraphAddMemcpyNode(&inner, child, nullptr, 0, &copy, context), CUDA_SUCCESS);
  append(cuGraphAddChildGraphNode(&node, graph, &before, 1, child));
  EXPECT_EQ(cuGraphDestroy(child), CUDA_SUCCESS);

  const CUgraphExec exec = ready(graph);
  run(exec);

  EXPECT_EQ(seen, 0x02020203 + 1);
  EXPECT_EQ(get_value(), 7);
  EXPECT_EQ(cuEventQuery(done), CUDA_SUCCESS);
  std::vector<CUgraphNodeType> types;
  for (const CUgraphNode one : nodes_of(graph)) {
    CUgraphNodeType type{};
    EXPECT_EQ(cuGraphNodeGetType(one, &type), CUDA_SUCCESS);
    types.push_back(type);
  }
  EXPECT_THAT(types, ElementsAre(CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_KERNEL,
                                 CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_HOST,
                                 CU_GRAPH_NODE_TYPE_EMPTY, CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                 CU_GRAPH_NODE_TYPE_WAIT_EVENT, CU_GRAPH_NODE_TYPE_GRAPH));
}

TEST_F(Graphs, TellTheirNodesAndEdges) {
  const CUgraphNode a = add_step(1, 1);
  const CUgraphNode b = add_step(1, 1, {a});
  const CUgraphNode c = add_step(1, 1, {a, b});
  std::size_t count = 3;
  std::array<CUgraphNode, 3> from{};
  std::array<CUgraphNode, 3> to{};
  std::array<CUgraphEdgeData, 3> edges{};

  EXPECT_THAT(nodes_of(graph), ElementsAre(a, b, c));
  EXPECT_EQ(cuGraphGetEdges(graph, from.data(), to.data(), edges.data(), &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 3);
  EXPECT_THAT(from, UnorderedElementsAre(a, a, b));
  EXPECT_THAT(to, UnorderedElementsAre(b, c, c));
  EXPECT_EQ(cuGraphGetRootNodes(graph, from.data(), &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(from[0], a);
  count = 1;
  EXPECT_EQ(cuGraphNodeGetDependencies(c, nullptr, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(cuGraphNodeGetDependentNodes(b, from.data(), nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(from[0], c);
}

TEST_F(Graphs, RefuseCirclesAndStrangers) {
  const CUgraphNode a = add_step(1, 1);
  const CUgraphNode b = add_step(1, 1, {a});
  CUgraph other = nullptr;
  CUgraphExec exec = nullptr;
  CUgraphNode node = nullptr;
  ASSERT_EQ(cuGraphCreate(&other, 0), CUDA_SUCCESS);

  EXPECT_EQ(cuGraphAddDependencies(graph, &a, &b, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddDependencies(graph, &a, &a, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddEmptyNode(&node, other, &a, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddDependencies(graph, &b, &a, nullptr, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphRemoveDependencies(graph, &b, &a, nullptr, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(other), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(other), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddEmptyNode(&node, other, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphInstantiate(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH),
            CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(Graphs, LoseNodesThatAreDestroyed) {
  const CUgraphNode a = add_step(10, 1);
  const CUgraphNode b = add_step(10, 2, {a});
  const CUgraphNode c = add_step(10, 3, {b});

  EXPECT_EQ(cuGraphDestroyNode(b), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroyNode(b), CUDA_ERROR_INVALID_VALUE);

  EXPECT_THAT(nodes_of(graph), ElementsAre(a, c));
  run(ready(graph));
  EXPECT_EQ(get_value(), 13);
}

TEST_F(Graphs, NodesCanBeReadAndChanged) {
  const CUgraphNode node = add_step(10, 1);
  CUDA_KERNEL_NODE_PARAMS parameters{};
  ASSERT_EQ(cuGraphKernelNodeGetParams(node, &parameters), CUDA_SUCCESS);
  EXPECT_EQ(parameters.func, step);
  EXPECT_EQ(*static_cast<unsigned*>(parameters.kernelParams[2]), 1);
  const CUgraphExec before = ready(graph);

  const Step changed(step, value, 10, 5);
  EXPECT_EQ(cuGraphKernelNodeSetParams(node, &changed.parameters), CUDA_SUCCESS);
  CUDA_MEMSET_NODE_PARAMS fill{};
  EXPECT_EQ(cuGraphMemsetNodeGetParams(node, &fill), CUDA_ERROR_INVALID_VALUE);

  run(before);
  EXPECT_EQ(get_value(), 1);
  run(ready(graph));
  EXPECT_EQ(get_value(), 15);
}

TEST_F(Graphs, ReadyOnesCanBeChangedNodeByNode) {
  const CUgraphNode a = add_step(10, 1);
  const CUgraphNode b = add_step(10, 2, {a});
  const CUgraphExec exec = ready(graph);
  const Step changed(step, value, 10, 7);
  unsigned enabled = 1;

  EXPECT_EQ(cuGraphExecKernelNodeSetParams(exec, b, &changed.parameters), CUDA_SUCCESS);
  run(exec);
  EXPECT_EQ(get_value(), 17);
  EXPECT_EQ(cuGraphNodeSetEnabled(exec, a, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphNodeGetEnabled(exec, a, &enabled), CUDA_SUCCESS);
  EXPECT_EQ(enabled, 0);
  run(exec);
  EXPECT_EQ(get_value(), 177);
  const CUDA_HOST_NODE_PARAMS host = {[](void*) {}, nullptr};
  EXPECT_EQ(cuGraphExecHostNodeSetParams(exec, b, &host), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, ReadyOnesCanBeBroughtUpToDate) {
  const CUgraphNode a = add_step(10, 1);
  add_step(10, 2, {a});
  const CUgraphExec exec = ready(graph);
  CUgraphExecUpdateResultInfo info{};
  CUgraph next = nullptr;
  ASSERT_EQ(cuGraphClone(&next, graph), CUDA_SUCCESS);
  CUgraphNode copied = nullptr;
  ASSERT_EQ(cuGraphNodeFindInClone(&copied, a, next), CUDA_SUCCESS);
  const Step changed(step, value, 10, 6);
  ASSERT_EQ(cuGraphKernelNodeSetParams(copied, &changed.parameters), CUDA_SUCCESS);

  EXPECT_EQ(cuGraphExecUpdate(exec, next, &info), CUDA_SUCCESS);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  run(exec);
  EXPECT_EQ(get_value(), 62);

  CUgraphNode more = nullptr;
  ASSERT_EQ(cuGraphAddEmptyNode(&more, next, nullptr, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExecUpdate(exec, next, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  ASSERT_EQ(cuGraphDestroyNode(more), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphDestroyNode(copied), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddEmptyNode(&more, next, nullptr, 0), CUDA_SUCCESS);
  const CUgraphNode second = nodes_of(next).at(0);
  ASSERT_EQ(cuGraphAddDependencies(next, &more, &second, nullptr, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExecUpdate(exec, next, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
  EXPECT_EQ(info.errorNode, more);
  EXPECT_EQ(cuGraphDestroy(next), CUDA_SUCCESS);
}

TEST_F(Graphs, AreDescribedByGenericParametersAsWell) {
  const Step what(step, value, 10, 4);
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_KERNEL;
  parameters.kernel.func = step;
  parameters.kernel.gridDimX = parameters.kernel.gridDimY = parameters.kernel.gridDimZ = 1;
  parameters.kernel.blockDimX = parameters.kernel.blockDimY = parameters.kernel.blockDimZ = 1;
  parameters.kernel.kernelParams = what.parameters.kernelParams;
  CUgraphNode node = nullptr;

  EXPECT_EQ(cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters), CUDA_SUCCESS);
  parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  EXPECT_EQ(cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters),
            CUDA_ERROR_NOT_SUPPORTED);

  run(ready(graph));
  EXPECT_EQ(get_value(), 4);
}

TEST_F(Graphs, AreDrawn) {
  const CUgraphNode a = add_step(10, 1);
  add_step(10, 2, {a});
  const std::string path = testing::TempDir() + "emulator_graph_test.dot";

  EXPECT_EQ(cuGraphDebugDotPrint(graph, path.c_str(), 0), CUDA_SUCCESS);

  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, HasSubstr("label=\"kernel k\""));
  EXPECT_EQ(std::ranges::count(text, '>'), 1);
  std::remove(path.c_str());
}

class Captures : public Graphs {
 protected:
  void begin(CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) const {
    ASSERT_EQ(cuStreamBeginCapture(stream, mode), CUDA_SUCCESS);
  }
  [[nodiscard]] CUgraph end() const {
    CUgraph captured = nullptr;
    EXPECT_EQ(cuStreamEndCapture(stream, &captured), CUDA_SUCCESS);
    return captured;
  }
  [[nodiscard]] CUresult end_badly() const {
    CUgraph captured = graph;
    const CUresult result = cuStreamEndCapture(stream, &captured);
    EXPECT_EQ(captured, nullptr);
    return result;
  }
  void do_step(CUstream in, unsigned factor, unsigned summand) const {
    EXPECT_EQ(launch(step, {.block = 1, .stream = in}, value, factor, summand), CUDA_SUCCESS);
  }
  [[nodiscard]] CUstreamCaptureStatus status_of(CUstream of) const {
    CUstreamCaptureStatus status{};
    EXPECT_EQ(cuStreamIsCapturing(of, &status), CUDA_SUCCESS);
    return status;
  }
  static CUstream new_stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
    CUstream made = nullptr;
    EXPECT_EQ(cuStreamCreate(&made, flags), CUDA_SUCCESS);
    return made;
  }
  static CUevent new_event() {
    CUevent made = nullptr;
    EXPECT_EQ(cuEventCreate(&made, 0), CUDA_SUCCESS);
    return made;
  }
};

TEST_F(Captures, DoNothingUntilTheGraphIsLaunched) {
  begin();
  EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(cuMemsetD32Async(value, 5, 1, stream), CUDA_SUCCESS);
  do_step(stream, 10, 1);
  do_step(stream, 10, 2);
  const CUgraph captured = end();
  EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(get_value(), 0);

  const CUgraphExec exec = ready(captured);
  run(exec);
  EXPECT_EQ(get_value(), 512);
  run(exec);
  EXPECT_EQ(get_value(), 512);
  EXPECT_EQ(nodes_of(captured).size(), 3);
  EXPECT_EQ(cuGraphDestroy(captured), CUDA_SUCCESS);
}

TEST_F(Captures, FollowEventsToOtherStreamsAndBack) {
  const CUstream other = new_stream();
  const CUevent fork = new_event();
  const CUevent join = new_event();
  begin();
  do_step(stream, 10, 1);
  ASSERT_EQ(cuEventRecord(fork, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamWaitEvent(other, fork, 0), CUDA_SUCCESS);
  EXPECT_EQ(status_of(other), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  do_step(other, 10, 2);
  ASSERT_EQ(cuEventRecord(join, other), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamWaitEvent(stream, join, 0), CUDA_SUCCESS);
  do_step(stream, 10, 3);
  const CUgraph captured = end();

  EXPECT_EQ(status_of(other), CU_STREAM_CAPTURE_STATUS_NONE);
  run(ready(captured));
  EXPECT_EQ(get_value(), 123);
  EXPECT_EQ(cuGraphDestroy(captured), CUDA_SUCCESS);
}

TEST_F(Captures, OfStreamsThatDoNotComeBackAreRefused) {
  const CUstream other = new_stream();
  const CUevent fork = new_event();
  begin();
  do_step(stream, 10, 1);
  ASSERT_EQ(cuEventRecord(fork, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamWaitEvent(other, fork, 0), CUDA_SUCCESS);
  do_step(other, 10, 2);

  CUgraph captured = nullptr;
  EXPECT_EQ(cuStreamEndCapture(other, &captured), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  EXPECT_EQ(end_badly(), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(status_of(other), CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_F(Captures, AreInvalidatedByWaitingForThem) {
  begin();
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_EQ(launch(step, {.block = 1, .stream = stream}, value, 1U, 1U),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(end_badly(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

  begin();
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(end_badly(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

  begin();
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(end_badly(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

  const CUevent event = new_event();
  begin();
  ASSERT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_EQ(cuEventSynchronize(event), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_EQ(cuGraphDestroy(end()), CUDA_SUCCESS);
}

TEST_F(Captures, AreInvalidatedByTheLegacyStreamWhereItWouldWait) {
  const CUstream blocking = new_stream(CU_STREAM_DEFAULT);
  CUgraph captured = nullptr;
  ASSERT_EQ(cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32Async(value, 1, 1, nullptr), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(cuStreamEndCapture(blocking, &captured), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(cuMemsetD32Async(value, 9, 1, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(get_value(), 9);
  EXPECT_EQ(cuGraphDestroy(end()), CUDA_SUCCESS);
}

TEST_F(Captures, ForbidUnsafeCallsAsTheirModeSays) {
  CUdeviceptr address = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(cuMemAlloc(&address, 4), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(end_badly(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(cuMemAlloc(&address, 4), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(end()), CUDA_SUCCESS);

  begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(cuMemFree(address), CUDA_SUCCESS);
  EXPECT_EQ(cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(end()), CUDA_SUCCESS);
}

TEST_F(Captures, DoNotMixWithEventsFromElsewhere) {
  const CUstream other = new_stream();
  const CUevent outside = new_event();
  ASSERT_EQ(cuEventRecord(outside, other), CUDA_SUCCESS);
  begin();
  EXPECT_EQ(cuStreamWaitEvent(stream, outside, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  EXPECT_EQ(end_badly(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

  const CUevent inside = new_event();
  begin();
  ASSERT_EQ(cuEventRecord(inside, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture(other, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(other, inside, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
  CUgraph captured = nullptr;
  EXPECT_EQ(cuStreamEndCapture(other, &captured), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(end_badly(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(Captures, BeginAndEndWhereTheyMay) {
  CUgraph captured = nullptr;

  EXPECT_EQ(cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuStreamEndCapture(stream, &captured), CUDA_ERROR_ILLEGAL_STATE);
  begin();
  EXPECT_EQ(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(cuGraphDestroy(end()), CUDA_SUCCESS);
}

TEST_F(Captures, CanBeWatchedAndLedByHand) {
  begin();
  do_step(stream, 10, 1);
  CUstreamCaptureStatus status{};
  cuuint64_t id = 0;
  CUgraph now = nullptr;
  const CUgraphNode* dependencies = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(cuStreamGetCaptureInfo(stream, &status, &id, &now, &dependencies, nullptr, &count),
            CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_NE(id, 0);
  ASSERT_EQ(count, 1);

  const Step by_hand(step, value, 10, 2);
  CUgraphNode node = nullptr;
  ASSERT_EQ(cuGraphAddKernelNode(&node, now, dependencies, count, &by_hand.parameters),
            CUDA_SUCCESS);
  ASSERT_EQ(cuStreamUpdateCaptureDependencies(stream, &node, nullptr, 1,
                                              CU_STREAM_SET_CAPTURE_DEPENDENCIES),
            CUDA_SUCCESS);
  do_step(stream, 10, 3);
  const CUgraph captured = end();

  EXPECT_EQ(captured, now);
  run(ready(captured));
  EXPECT_EQ(get_value(), 123);
  EXPECT_EQ(cuGraphDestroy(captured), CUDA_SUCCESS);
}

TEST_F(Captures, ExtendGraphsAndHoldOthers) {
  const CUgraphNode first = add_step(10, 1);
  const CUgraphExec inner = [&] {
    begin();
    do_step(stream, 10, 2);
    const CUgraph captured = end();
    const CUgraphExec exec = ready(captured);
    EXPECT_EQ(cuGraphDestroy(captured), CUDA_SUCCESS);
    return exec;
  }();
  CUgraph captured = nullptr;
  ASSERT_EQ(
      cuStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1, CU_STREAM_CAPTURE_MODE_GLOBAL),
      CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(inner, stream), CUDA_SUCCESS);
  do_step(stream, 10, 3);
  ASSERT_EQ(cuStreamEndCapture(stream, &captured), CUDA_SUCCESS);

  EXPECT_EQ(captured, graph);
  EXPECT_EQ(nodes_of(graph).size(), 3);
  run(ready(graph));
  EXPECT_EQ(get_value(), 123);
}

}  // namespace
}  // namespace emulator::api
