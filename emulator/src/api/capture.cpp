#include "api/capture.h"

#include <algorithm>
#include <utility>

#include "api/driver.h"
#include "api/error_translation.h"

namespace emulator::api {
namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

thread_local constinit CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

// Whether a stream waits for the legacy default stream and the other way round.
bool is_blocking(const Stream& stream) { return (stream.flags() & CU_STREAM_NON_BLOCKING) == 0; }

[[noreturn]] void invalidate(Capture& capture, CUresult result) {
  capture.invalidated = true;
  throw Refusal(result);
}

// What the legacy default stream is given would have to wait for captures of other streams.
void refuse_implicit_wait(Context& context, Stream& stream) {
  if (!context.is_legacy(stream)) return;
  for (const auto& active : Driver::get().captures()) {
    for (const auto& weak : active->streams) {
      const std::shared_ptr<Stream> other = weak.lock();
      if (other && is_blocking(*other) && context.owns(*other)) {
        invalidate(*active, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
      }
    }
  }
}

// Null where the stream captures nothing.
CapturePoint* point_of(Context& context, Stream& stream) {
  if (stream.captured == nullptr) {
    refuse_implicit_wait(context, stream);
    return nullptr;
  }
  require(!stream.captured->capture->invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  return stream.captured.get();
}

// A launch that may begin while the one before it is under way depends on that in such a way.
std::vector<EdgeKind> edges_to(const Operation& operation, const std::vector<Node*>& frontier) {
  const auto* const kernel = std::get_if<KernelOperation>(&operation);
  const bool joins = kernel != nullptr && kernel->order == StreamOrder::programmatic &&
                     frontier.size() == 1 &&
                     std::holds_alternative<KernelOperation>(frontier.front()->operation);
  return std::vector(frontier.size(), joins ? EdgeKind::programmatic : EdgeKind::full);
}

void merge(std::vector<Node*>& into, const std::vector<Node*>& more) {
  for (Node* node : more) {
    if (std::ranges::find(into, node) == into.end()) into.push_back(node);
  }
}

// Whether every end of what was captured has come back to the stream that it began on.
bool is_joined(const Capture& capture, const std::vector<Node*>& frontier) {
  return std::ranges::all_of(capture.graph->nodes(), [&](const std::shared_ptr<Node>& node) {
    const bool is_end = node->dependents.empty() &&
                        std::ranges::find(capture.added, node->id) != capture.added.end();
    return !is_end || std::ranges::find(frontier, node.get()) != frontier.end();
  });
}

}  // namespace

void begin_capture(Context& context, const std::shared_ptr<Stream>& stream,
                   CUstreamCaptureMode mode) {
  GraphTables& tables = Driver::get().graphs();
  const Lock lock(tables.mutex);
  const auto graph = std::make_shared<Graph>(tables, Graph::Owner::program);
  begin_capture(context, stream, mode, graph, {});
  stream->captured->capture->is_new_graph = true;
  (void)tables.graphs.add(graph);
}

void begin_capture(Context& context, const std::shared_ptr<Stream>& stream,
                   CUstreamCaptureMode mode, const std::shared_ptr<Graph>& graph,
                   std::vector<Node*> dependencies) {
  static std::uint64_t last_id = 0;
  const Lock lock(Driver::get().graphs().mutex);
  require(mode == CU_STREAM_CAPTURE_MODE_GLOBAL || mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ||
          mode == CU_STREAM_CAPTURE_MODE_RELAXED);
  require(!context.is_legacy(*stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  require(stream->captured == nullptr, CUDA_ERROR_ILLEGAL_STATE);
  auto capture = std::make_shared<Capture>(Capture{++last_id,
                                                   mode,
                                                   std::this_thread::get_id(),
                                                   stream.get(),
                                                   graph,
                                                   false,
                                                   false,
                                                   {stream},
                                                   {}});
  Driver::get().add_capture(capture);
  stream->captured =
      std::make_shared<CapturePoint>(CapturePoint{std::move(capture), std::move(dependencies), {}});
}

std::shared_ptr<Graph> end_capture(Stream& stream) {
  Driver& driver = Driver::get();
  const Lock lock(driver.graphs().mutex);
  require(stream.captured != nullptr, CUDA_ERROR_ILLEGAL_STATE);
  const CapturePoint point = *stream.captured;
  Capture& capture = *point.capture;
  require(capture.origin == &stream, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  require(capture.mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
              capture.thread == std::this_thread::get_id(),
          CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  for (const auto& weak : capture.streams) {
    if (const std::shared_ptr<Stream> one = weak.lock()) one->captured = nullptr;
  }
  driver.remove_capture(point.capture);
  CUresult result = CUDA_SUCCESS;
  if (capture.invalidated) {
    result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  } else if (!is_joined(capture, point.frontier)) {
    result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  }
  if (result == CUDA_SUCCESS) return capture.graph;
  if (capture.is_new_graph) {
    (void)driver.graphs().graphs.take(handle_of(*capture.graph));
  }
  throw Refusal(result);
}

bool capture(Context& context, Stream& stream, const Operation& operation) {
  Driver& driver = Driver::get();
  if (!driver.is_capturing()) return false;
  const Lock lock(driver.graphs().mutex);
  CapturePoint* const point = point_of(context, stream);
  if (point == nullptr) return false;
  Node& node =
      point->capture->graph->add(operation, point->frontier, edges_to(operation, point->frontier));
  point->capture->added.push_back(node.id);
  point->frontier = {&node};
  return true;
}

bool capture_record(Context& context, Stream& stream, Event& event) {
  const Lock lock(Driver::get().graphs().mutex);
  CapturePoint* const point = point_of(context, stream);
  event.captured = point == nullptr ? nullptr : std::make_shared<CapturePoint>(*point);
  return point != nullptr;
}

bool capture_wait(Context& context, const std::shared_ptr<Stream>& stream, Event& event) {
  const Lock lock(Driver::get().graphs().mutex);
  CapturePoint* const point = point_of(context, *stream);
  const CapturePoint* const wanted = event.captured.get();
  if (wanted == nullptr) {
    // The event lies outside the capture.
    if (point != nullptr) invalidate(*point->capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    return false;
  }
  const auto& active = Driver::get().captures();
  require(std::ranges::find(active, wanted->capture) != active.end(), CUDA_ERROR_CAPTURED_EVENT);
  if (point != nullptr) {
    if (point->capture != wanted->capture) {
      wanted->capture->invalidated = true;
      invalidate(*point->capture, CUDA_ERROR_STREAM_CAPTURE_MERGE);
    }
    merge(point->frontier, wanted->frontier);
    return true;
  }
  if (context.is_legacy(*stream)) {
    invalidate(*wanted->capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  }
  wanted->capture->streams.push_back(stream);
  stream->captured = std::make_shared<CapturePoint>(*wanted);
  return true;
}

void refuse_if_capturing(Context& context, Stream& stream) {
  if (!Driver::get().is_capturing()) return;
  const Lock lock(Driver::get().graphs().mutex);
  if (stream.captured != nullptr) {
    invalidate(*stream.captured->capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  refuse_implicit_wait(context, stream);
}

void refuse_if_any_capturing(Context& context) {
  if (!Driver::get().is_capturing()) return;
  const Lock lock(Driver::get().graphs().mutex);
  for (const auto& active : Driver::get().captures()) {
    for (const auto& weak : active->streams) {
      const std::shared_ptr<Stream> stream = weak.lock();
      if (stream && context.owns(*stream)) {
        invalidate(*active, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
      }
    }
  }
}

void refuse_unsafe_call() {
  if (!Driver::get().is_capturing() || thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return;
  const Lock lock(Driver::get().graphs().mutex);
  for (const auto& active : Driver::get().captures()) {
    const bool is_own = active->thread == std::this_thread::get_id();
    const bool forbids = is_own ? active->mode != CU_STREAM_CAPTURE_MODE_RELAXED
                                : active->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                                      thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (forbids) invalidate(*active, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
}

void refuse_synchronous_call(Context& context) {
  if (!Driver::get().is_capturing()) return;
  refuse_if_capturing(context, *context.stream(CU_STREAM_LEGACY));
  refuse_unsafe_call();
}

CaptureState capture_state(Context& context, Stream& stream) {
  const Lock lock(Driver::get().graphs().mutex);
  if (stream.captured == nullptr) {
    refuse_implicit_wait(context, stream);
    return {CU_STREAM_CAPTURE_STATUS_NONE, nullptr};
  }
  const std::shared_ptr<Capture> capture = stream.captured->capture;
  return {
      capture->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE,
      capture};
}

void refuse_captured(const Event& event) {
  const Lock lock(Driver::get().graphs().mutex);
  require(event.captured == nullptr, CUDA_ERROR_CAPTURED_EVENT);
}

CUstreamCaptureMode exchange_capture_mode(CUstreamCaptureMode mode) {
  require(mode == CU_STREAM_CAPTURE_MODE_GLOBAL || mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ||
          mode == CU_STREAM_CAPTURE_MODE_RELAXED);
  return std::exchange(thread_mode, mode);
}

}  // namespace emulator::api
