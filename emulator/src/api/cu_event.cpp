// Events: the times at which the executor reached a point of a stream.
#include <chrono>
#include <cstdint>

#include "api/capture.h"
#include "api/driver.h"
#include "api/error_translation.h"
#include "api/operation.h"

namespace emulator::api {
namespace {

constexpr unsigned kEventFlags =
    CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

enum class Recording : std::uint8_t { internal, external };

void record(CUevent handle, CUstream stream_handle, Recording recording) {
  const auto context = current_context();
  const std::shared_ptr<Stream> stream = context->stream(stream_handle);
  const std::shared_ptr<Event> event = context->event(handle);
  // To the outside of a graph an event is a node of it; within, it is where the graph is.
  if (recording == Recording::external &&
      capture(*context, *stream, RecordOperation{handle, event})) {
    return;
  }
  if (capture_record(*context, *stream, *event)) return;
  context->record(event, *stream);
}

// The time of a recorded event that keeps one.
Event::Time time_of(Context& context, CUevent handle) {
  const std::shared_ptr<Event> event = context.event(handle);
  refuse_captured(*event);
  require(event->ticket() != 0 && (event->flags() & CU_EVENT_DISABLE_TIMING) == 0,
          CUDA_ERROR_INVALID_HANDLE);
  require(context.executor().done(event->ticket()), CUDA_ERROR_NOT_READY);
  return event->time();
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::current_context;
using emulator::api::Recording;
using emulator::api::require;

CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  return answer([&] {
    const auto context = current_context();
    require(event != nullptr && (flags & ~emulator::api::kEventFlags) == 0);
    *event = context->events.add(std::make_shared<emulator::api::Event>(flags));
  });
}

CUresult cuEventDestroy(CUevent event) {
  return answer([&] {
    const auto context = current_context();
    require(context->events.take(event) != nullptr, CUDA_ERROR_INVALID_HANDLE);
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return answer([&] { emulator::api::record(event, stream, Recording::internal); });
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags) {
  return answer([&] {
    require((flags & ~static_cast<unsigned>(CU_EVENT_RECORD_EXTERNAL)) == 0);
    emulator::api::record(event, stream, flags == 0 ? Recording::internal : Recording::external);
  });
}

CUresult cuEventQuery(CUevent event) {
  return answer([&] {
    const auto context = current_context();
    const auto found = context->event(event);
    emulator::api::refuse_captured(*found);
    require(context->executor().done(found->ticket()), CUDA_ERROR_NOT_READY);
    context->require_sound();
  });
}

CUresult cuEventSynchronize(CUevent event) {
  return answer([&] {
    const auto context = current_context();
    const auto found = context->event(event);
    emulator::api::refuse_captured(*found);
    context->synchronize(found->ticket());
  });
}

CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
  return answer([&] {
    const auto context = current_context();
    require(milliseconds != nullptr);
    const auto elapsed =
        emulator::api::time_of(*context, end) - emulator::api::time_of(*context, start);
    *milliseconds = std::chrono::duration<float, std::milli>(elapsed).count();
  });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}
