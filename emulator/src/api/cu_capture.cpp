// Capturing streams into graphs.
#include <algorithm>

#include "api/capture.h"
#include "api/driver.h"
#include "api/error_translation.h"

namespace emulator::api {
namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

void describe(Stream& stream, const CaptureState& state, cuuint64_t* id, CUgraph* graph,
              const CUgraphNode** dependencies, std::size_t* count) {
  if (state.status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return;
  CapturePoint& point = *stream.captured;
  if (id != nullptr) *id = state.capture->id;
  if (graph != nullptr) *graph = handle_of(*state.capture->graph);
  if (count != nullptr) *count = point.frontier.size();
  if (dependencies == nullptr) return;
  point.handles.clear();
  for (const Node* node : point.frontier) point.handles.push_back(handle_of(*node));
  *dependencies = point.handles.data();
}

void update_dependencies(CUstream handle, const CUgraphNode* dependencies, std::size_t count,
                         unsigned flags) {
  const auto context = current_context();
  const auto stream = context->stream(handle);
  require(flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES ||
          flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES);
  GraphTables& tables = Driver::get().graphs();
  const Lock lock(tables.mutex);
  require(stream->captured != nullptr, CUDA_ERROR_ILLEGAL_STATE);
  CapturePoint& point = *stream->captured;
  require(!point.capture->invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  std::vector<Node*> wanted = tables.nodes_of(*point.capture->graph, dependencies, count);
  if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) point.frontier.clear();
  for (Node* node : wanted) {
    if (std::ranges::find(point.frontier, node) == point.frontier.end()) {
      point.frontier.push_back(node);
    }
  }
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::CaptureState;
using emulator::api::current_context;
using emulator::api::Driver;
using emulator::api::require;

CUresult cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode) {
  return answer([&] {
    const auto context = current_context();
    emulator::api::begin_capture(*context, context->stream(handle), mode);
  });
}

CUresult cuStreamBeginCapture(CUstream handle) {
  return cuStreamBeginCapture_v2(handle, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult cuStreamBeginCaptureToGraph(CUstream handle, CUgraph graph,
                                     const CUgraphNode* dependencies, const CUgraphEdgeData* edges,
                                     size_t count, CUstreamCaptureMode mode) {
  return answer([&] {
    const auto context = current_context();
    emulator::api::require_plain(edges, count);
    emulator::api::GraphTables& tables = Driver::get().graphs();
    const emulator::api::Lock lock(tables.mutex);
    const auto found = tables.graphs.find(graph);
    require(found != nullptr);
    emulator::api::begin_capture(*context, context->stream(handle), mode, found,
                                 tables.nodes_of(*found, dependencies, count));
  });
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph* graph) {
  return answer([&] {
    const auto context = current_context();
    require(graph != nullptr);
    *graph = nullptr;
    *graph = emulator::api::handle_of(*emulator::api::end_capture(*context->stream(handle)));
  });
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
  return answer([&] {
    const auto context = current_context();
    require(status != nullptr);
    *status = emulator::api::capture_state(*context, *context->stream(handle)).status;
  });
}

CUresult cuStreamGetCaptureInfo_v3(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, const CUgraphNode** dependencies,
                                   const CUgraphEdgeData** edges, size_t* count) {
  return answer([&] {
    const auto context = current_context();
    require(status != nullptr);
    const auto stream = context->stream(handle);
    const emulator::api::Lock lock(Driver::get().graphs().mutex);
    const CaptureState state = emulator::api::capture_state(*context, *stream);
    *status = state.status;
    if (edges != nullptr) *edges = nullptr;
    emulator::api::describe(*stream, state, id, graph, dependencies, count);
  });
}

CUresult cuStreamGetCaptureInfo_v2(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, const CUgraphNode** dependencies,
                                   size_t* count) {
  return cuStreamGetCaptureInfo_v3(handle, status, id, graph, dependencies, nullptr, count);
}

CUresult cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id) {
  return cuStreamGetCaptureInfo_v3(handle, status, id, nullptr, nullptr, nullptr, nullptr);
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream handle, CUgraphNode* dependencies,
                                              const CUgraphEdgeData* edges, size_t count,
                                              unsigned int flags) {
  return answer([&] {
    emulator::api::require_plain(edges, count);
    emulator::api::update_dependencies(handle, dependencies, count, flags);
  });
}

CUresult cuStreamUpdateCaptureDependencies(CUstream handle, CUgraphNode* dependencies, size_t count,
                                           unsigned int flags) {
  return cuStreamUpdateCaptureDependencies_v2(handle, dependencies, nullptr, count, flags);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return answer([&] {
    (void)Driver::get();
    require(mode != nullptr);
    *mode = emulator::api::exchange_capture_mode(*mode);
  });
}
