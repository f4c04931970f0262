// Graphs made ready, launched and brought up to date.
#include "api/capture.h"
#include "api/driver.h"
#include "api/error_translation.h"
#include "api/graph_exec.h"

namespace emulator::api {
namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

// Of the flags, launching from the device is what there is not.
constexpr unsigned long long kInstantiateFlags = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                                                 CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
                                                 CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

CUgraphExec instantiate(CUgraph graph, unsigned long long flags) {
  const auto context = current_context();
  const Lock lock(graph_tables().mutex);
  require((flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) == 0, CUDA_ERROR_NOT_SUPPORTED);
  require((flags & ~kInstantiateFlags) == 0);
  return graph_tables().execs.add(
      std::make_shared<GraphExec>(graph_tables().graph(graph), *context, flags));
}

void launch(CUgraphExec handle, CUstream stream_handle) {
  const auto context = current_context();
  const std::shared_ptr<Stream> stream = context->stream(stream_handle);
  // A launch is one to the others: the steps of two launches do not mix.
  const Lock lock(graph_tables().mutex);
  GraphExec& exec = graph_tables().exec(handle);
  if (stream->captured != nullptr) {
    const std::shared_ptr<Graph> child = exec.graph().clone(Graph::Owner::node);
    (void)graph_tables().graphs.add(child);
    if (capture(*context, *stream, ChildOperation{child})) return;
  }
  refuse_if_capturing(*context, *stream);
  exec.launch(*context, *stream);
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::current_context;
using emulator::api::graph_tables;
using emulator::api::GraphExec;
using emulator::api::Lock;
using emulator::api::require;

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
  return answer([&] {
    require(exec != nullptr);
    *exec = emulator::api::instantiate(graph, flags);
  });
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  return answer([&] {
    require(exec != nullptr && parameters != nullptr);
    parameters->hErrNode_out = nullptr;
    parameters->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
    *exec = emulator::api::instantiate(graph, parameters->flags);
    parameters->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  });
}

// Until CUDA 11.4, with a node and a text about what went wrong.
CUresult cuGraphInstantiate_v2(CUgraphExec* exec, CUgraph graph, CUgraphNode* node, char* log,
                               size_t bytes) {
  if (node != nullptr) *node = nullptr;
  if (log != nullptr && bytes != 0) *log = '\0';
  return cuGraphInstantiateWithFlags(exec, graph, 0);
}

CUresult cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, CUgraphNode* node, char* log,
                            size_t bytes) {
  return cuGraphInstantiate_v2(exec, graph, node, log, bytes);
}

CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t* flags) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(flags != nullptr);
    *flags = graph_tables().exec(exec).flags();
  });
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return answer([&] { emulator::api::launch(exec, stream); });
}

// There is nothing to bring to the device.
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  return answer([&] {
    const auto context = current_context();
    (void)context->stream(stream);
    const Lock lock(graph_tables().mutex);
    (void)graph_tables().exec(exec);
  });
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(graph_tables().execs.take(exec) != nullptr);
  });
}

CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info) {
  return answer([&] {
    const auto context = current_context();
    const Lock lock(graph_tables().mutex);
    require(info != nullptr);
    const GraphExec::Update update =
        graph_tables().exec(exec).update(graph_tables().graph(graph), *context);
    *info = {update.result, nullptr, nullptr};
    if (update.node != nullptr) info->errorNode = emulator::api::handle_of(*update.node);
    require(update.result == CU_GRAPH_EXEC_UPDATE_SUCCESS, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  });
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode* node,
                           CUgraphExecUpdateResult* result) {
  CUgraphExecUpdateResultInfo info{CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
  const CUresult answered = cuGraphExecUpdate_v2(exec, graph, &info);
  if (node != nullptr) *node = info.errorNode;
  if (result != nullptr) *result = info.result;
  return answered;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int enabled) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    graph_tables().exec(exec).set_enabled(graph_tables().node(node), enabled != 0);
  });
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int* enabled) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(enabled != nullptr);
    *enabled = graph_tables().exec(exec).is_enabled(graph_tables().node(node)) ? 1 : 0;
  });
}
