// Nodes of graphs: making them, and reading and changing what they do.
#include <tuple>
#include <utility>

#include "api/driver.h"
#include "api/error_translation.h"
#include "api/graph.h"
#include "api/graph_exec.h"
#include "api/launch_request.h"
#include "api/module_loading.h"

namespace emulator::api {
namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

// ---- from the structures of the API -----------------------------------------------------------

// Of the three versions of CUDA_KERNEL_NODE_PARAMS the fields that all have.
template <typename Parameters>
Operation kernel_of(const Parameters& parameters, CUfunction function) {
  return read_request(*current_context(),
                      {function,
                       {parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ},
                       {parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ},
                       parameters.sharedMemBytes,
                       nullptr,
                       parameters.kernelParams,
                       parameters.extra});
}

// CUkernel and CUfunction are looked up alike.
template <typename Parameters>
CUfunction function_of(const Parameters& parameters) {
  return parameters.func != nullptr ? parameters.func
                                    : reinterpret_cast<CUfunction>(parameters.kern);
}

Operation operation_of(const CUDA_KERNEL_NODE_PARAMS_v1& parameters) {
  return kernel_of(parameters, parameters.func);
}
Operation operation_of(const CUDA_KERNEL_NODE_PARAMS_v2& parameters) {
  return kernel_of(parameters, function_of(parameters));
}
Operation operation_of(const CUDA_MEMCPY3D& parameters) { return CopyOperation{parameters}; }
Operation operation_of(const CUDA_MEMSET_NODE_PARAMS& parameters) {
  return FillOperation{parameters};
}
Operation operation_of(const CUDA_HOST_NODE_PARAMS& parameters) {
  require(parameters.fn != nullptr);
  return HostOperation{parameters.fn, parameters.userData};
}
Operation record_of(CUevent event) {
  return RecordOperation{event, current_context()->event(event)};
}
Operation wait_of(CUevent event) { return WaitOperation{event, current_context()->event(event)}; }

// A copy of the graph as it is now; later changes do not reach it.
Operation child_of(CUgraph graph) {
  const std::shared_ptr<Graph> copy = graph_tables().graph(graph).clone(Graph::Owner::node);
  (void)graph_tables().graphs.add(copy);
  return ChildOperation{copy};
}

Operation operation_of(const CUgraphNodeParams& parameters) {
  switch (parameters.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return kernel_of(parameters.kernel, function_of(parameters.kernel));
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return operation_of(parameters.memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return FillOperation{{parameters.memset.dst, parameters.memset.pitch, parameters.memset.value,
                            parameters.memset.elementSize, parameters.memset.width,
                            parameters.memset.height}};
    case CU_GRAPH_NODE_TYPE_HOST:
      require(parameters.host.fn != nullptr);
      return HostOperation{parameters.host.fn, parameters.host.userData};
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return child_of(parameters.graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return EmptyOperation{};
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return wait_of(parameters.eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return record_of(parameters.eventRecord.event);
    default:
      // Memory, semaphores, conditions.
      throw Refusal(CUDA_ERROR_NOT_SUPPORTED);
  }
}

// ---- nodes ------------------------------------------------------------------------------------

// `make` is called once the rest is known to be right.
template <typename Make>
void add(CUgraphNode* handle, CUgraph graph_handle, const CUgraphNode* dependencies,
         const CUgraphEdgeData* edges, std::size_t count, const Make& make) {
  const Lock lock(graph_tables().mutex);
  require(handle != nullptr);
  Graph& graph = graph_tables().graph(graph_handle);
  const std::vector<Node*> before = graph_tables().nodes_of(graph, dependencies, count);
  std::vector<EdgeKind> kinds;
  for (std::size_t i = 0; edges != nullptr && i < count; ++i) kinds.push_back(kind_of(edges[i]));
  *handle = handle_of(graph.add(make(), before, kinds));
}

template <typename Make>
void add(CUgraphNode* handle, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
         const Make& make) {
  add(handle, graph, dependencies, nullptr, count, make);
}

template <typename Alternative>
Alternative& alternative_of(Node& node) {
  auto* const found = std::get_if<Alternative>(&node.operation);
  require(found != nullptr);
  return *found;
}

void set(CUgraphNode handle, Operation operation) {
  Node& node = graph_tables().node(handle);
  node.operation = successor_of(node.operation, std::move(operation));
}

template <typename Make>
void set_in(CUgraphExec exec, CUgraphNode node, const Make& make) {
  const auto context = current_context();
  const Lock lock(graph_tables().mutex);
  graph_tables().exec(exec).set_operation(graph_tables().node(node), make(), *context);
}

template <typename Parameters>
void describe(Node& node, Parameters& parameters) {
  auto& kernel = alternative_of<KernelOperation>(node);
  node.argument_pointers.clear();
  for (const auto& parameter : kernel.kernel->layout().parameters) {
    node.argument_pointers.push_back(kernel.parameters.data() + parameter.offset);
  }
  parameters = {};
  parameters.func = handle_of(kernel.kernel);
  std::tie(parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ) =
      std::tie(kernel.grid[0], kernel.grid[1], kernel.grid[2]);
  std::tie(parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ) =
      std::tie(kernel.block[0], kernel.block[1], kernel.block[2]);
  parameters.sharedMemBytes = kernel.dynamic_shared_bytes;
  parameters.kernelParams = node.argument_pointers.data();
}

}  // namespace
}  // namespace emulator::api

using emulator::api::add;
using emulator::api::alternative_of;
using emulator::api::answer;
using emulator::api::ChildOperation;
using emulator::api::CopyOperation;
using emulator::api::current_context;
using emulator::api::EmptyOperation;
using emulator::api::FillOperation;
using emulator::api::graph_tables;
using emulator::api::handle_of;
using emulator::api::HostOperation;
using emulator::api::Lock;
using emulator::api::Operation;
using emulator::api::operation_of;
using emulator::api::RecordOperation;
using emulator::api::require;
using emulator::api::set;
using emulator::api::WaitOperation;

CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                 size_t count, const CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
  return answer([&] {
    require(parameters != nullptr);
    add(node, graph, dependencies, count, [&] { return operation_of(*parameters); });
  });
}

CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                              size_t count, const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  return answer([&] {
    require(parameters != nullptr);
    add(node, graph, dependencies, count, [&] { return operation_of(*parameters); });
  });
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(parameters != nullptr);
    emulator::api::describe(graph_tables().node(node), *parameters);
  });
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(parameters != nullptr);
    emulator::api::describe(graph_tables().node(node), *parameters);
  });
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node,
                                       const CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(parameters != nullptr);
    set(node, operation_of(*parameters));
  });
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node,
                                    const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(parameters != nullptr);
    set(node, operation_of(*parameters));
  });
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                              size_t count, const CUDA_MEMCPY3D* parameters, CUcontext) {
  return answer([&] {
    require(parameters != nullptr);
    add(node, graph, dependencies, count, [&] { return operation_of(*parameters); });
  });
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* parameters) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(parameters != nullptr);
    *parameters = alternative_of<CopyOperation>(graph_tables().node(node)).copy;
  });
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* parameters) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(parameters != nullptr);
    set(node, operation_of(*parameters));
  });
}

CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                              size_t count, const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext) {
  return answer([&] {
    require(parameters != nullptr);
    add(node, graph, dependencies, count, [&] { return operation_of(*parameters); });
  });
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* parameters) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(parameters != nullptr);
    *parameters = alternative_of<FillOperation>(graph_tables().node(node)).fill;
  });
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* parameters) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(parameters != nullptr);
    set(node, operation_of(*parameters));
  });
}

CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                            size_t count, const CUDA_HOST_NODE_PARAMS* parameters) {
  return answer([&] {
    require(parameters != nullptr);
    add(node, graph, dependencies, count, [&] { return operation_of(*parameters); });
  });
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* parameters) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(parameters != nullptr);
    const auto& host = alternative_of<HostOperation>(graph_tables().node(node));
    *parameters = {host.function, host.data};
  });
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* parameters) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(parameters != nullptr);
    set(node, operation_of(*parameters));
  });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                  size_t count, CUgraph child) {
  return answer([&] {
    add(node, graph, dependencies, count, [&] { return emulator::api::child_of(child); });
  });
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(graph != nullptr);
    *graph = reinterpret_cast<CUgraph>(
        alternative_of<ChildOperation>(graph_tables().node(node)).graph.get());
  });
}

CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                             size_t count) {
  return answer(
      [&] { add(node, graph, dependencies, count, [] { return Operation(EmptyOperation{}); }); });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph,
                                   const CUgraphNode* dependencies, size_t count, CUevent event) {
  return answer([&] {
    add(node, graph, dependencies, count, [&] { return emulator::api::record_of(event); });
  });
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(event != nullptr);
    *event = alternative_of<RecordOperation>(graph_tables().node(node)).handle;
  });
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    set(node, emulator::api::record_of(event));
  });
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                 size_t count, CUevent event) {
  return answer([&] {
    add(node, graph, dependencies, count, [&] { return emulator::api::wait_of(event); });
  });
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(event != nullptr);
    *event = alternative_of<WaitOperation>(graph_tables().node(node)).handle;
  });
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    set(node, emulator::api::wait_of(event));
  });
}

CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                           const CUgraphEdgeData* edges, size_t count,
                           CUgraphNodeParams* parameters) {
  return answer([&] {
    require(parameters != nullptr);
    add(node, graph, dependencies, edges, count, [&] { return operation_of(*parameters); });
  });
}

CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                        size_t count, CUgraphNodeParams* parameters) {
  return cuGraphAddNode_v2(node, graph, dependencies, nullptr, count, parameters);
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* parameters) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(parameters != nullptr && parameters->type != CU_GRAPH_NODE_TYPE_GRAPH);
    set(node, operation_of(*parameters));
  });
}

// ---- nodes of a graph that is ready to be launched ----------------------------------------------

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
  return answer([&] {
    require(parameters != nullptr);
    emulator::api::set_in(exec, node, [&] { return operation_of(*parameters); });
  });
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  return answer([&] {
    require(parameters != nullptr);
    emulator::api::set_in(exec, node, [&] { return operation_of(*parameters); });
  });
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D* parameters, CUcontext) {
  return answer([&] {
    require(parameters != nullptr);
    emulator::api::set_in(exec, node, [&] { return operation_of(*parameters); });
  });
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext) {
  return answer([&] {
    require(parameters != nullptr);
    emulator::api::set_in(exec, node, [&] { return operation_of(*parameters); });
  });
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS* parameters) {
  return answer([&] {
    require(parameters != nullptr);
    emulator::api::set_in(exec, node, [&] { return operation_of(*parameters); });
  });
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  return answer(
      [&] { emulator::api::set_in(exec, node, [&] { return emulator::api::record_of(event); }); });
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  return answer(
      [&] { emulator::api::set_in(exec, node, [&] { return emulator::api::wait_of(event); }); });
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                  CUgraphNodeParams* parameters) {
  return answer([&] {
    require(parameters != nullptr && parameters->type != CU_GRAPH_NODE_TYPE_GRAPH);
    emulator::api::set_in(exec, node, [&] { return operation_of(*parameters); });
  });
}
