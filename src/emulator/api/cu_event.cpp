// Events: the times at which the executor reached a point of a stream.
#include <chrono>

#include "emulator/api/answer.h"
#include "emulator/api/driver.h"

namespace emulator::api {
namespace {

constexpr unsigned kEventFlags =
    CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

void record(CUevent event, CUstream stream) {
  const auto context = current_context();
  context->record(context->event(event), *context->stream(stream));
}

// The time of a recorded event that keeps one.
Event::Time time_of(Context& context, CUevent handle) {
  const std::shared_ptr<Event> event = context.event(handle);
  require(event->ticket() != 0 && (event->flags() & CU_EVENT_DISABLE_TIMING) == 0,
          CUDA_ERROR_INVALID_HANDLE);
  require(context.executor().done(event->ticket()), CUDA_ERROR_NOT_READY);
  return event->time();
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::current_context;
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
  return answer([&] { emulator::api::record(event, stream); });
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags) {
  return answer([&] {
    require((flags & ~static_cast<unsigned>(CU_EVENT_RECORD_EXTERNAL)) == 0);
    emulator::api::record(event, stream);
  });
}

CUresult cuEventQuery(CUevent event) {
  return answer([&] {
    const auto context = current_context();
    require(context->executor().done(context->event(event)->ticket()), CUDA_ERROR_NOT_READY);
    context->require_sound();
  });
}

CUresult cuEventSynchronize(CUevent event) {
  return answer([&] {
    const auto context = current_context();
    context->synchronize(context->event(event)->ticket());
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
