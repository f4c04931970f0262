// Streams.
#include <algorithm>

#include "api/capture.h"
#include "api/driver.h"
#include "api/error_translation.h"
#include "api/limits.h"
#include "api/operation.h"

namespace emulator::api {
namespace {

void create(CUstream* stream, unsigned flags, int priority) {
  const auto context = current_context();
  require(stream != nullptr && (flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING)) == 0);
  const int allowed = std::clamp(priority, kGreatestPriority, kLeastPriority);
  *stream = context->streams.add(std::make_shared<Stream>(flags, allowed, context->id()));
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::current_context;
using emulator::api::HostOperation;
using emulator::api::require;
using emulator::api::WaitOperation;

CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
  return answer([&] { emulator::api::create(stream, flags, emulator::api::kLeastPriority); });
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int flags, int priority) {
  return answer([&] { emulator::api::create(stream, flags, priority); });
}

// What the stream was given is still carried out.
CUresult cuStreamDestroy(CUstream stream) {
  return answer([&] {
    const auto context = current_context();
    require(context->streams.take(stream) != nullptr, CUDA_ERROR_INVALID_HANDLE);
  });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return answer([&] {
    const auto context = current_context();
    const auto found = context->stream(stream);
    emulator::api::refuse_if_capturing(*context, *found);
    context->synchronize(found->last());
  });
}

CUresult cuStreamQuery(CUstream stream) {
  return answer([&] {
    const auto context = current_context();
    const auto found = context->stream(stream);
    emulator::api::refuse_if_capturing(*context, *found);
    require(context->executor().done(found->last()), CUDA_ERROR_NOT_READY);
    context->require_sound();
  });
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned int flags) {
  return answer([&] {
    const auto context = current_context();
    require((flags & ~static_cast<unsigned>(CU_EVENT_WAIT_EXTERNAL)) == 0);
    const auto stream = context->stream(handle);
    const auto event = context->event(event_handle);
    const WaitOperation wait{event_handle, event};
    if (flags == CU_EVENT_WAIT_EXTERNAL) return emulator::api::enqueue(*context, handle, wait);
    if (emulator::api::capture_wait(*context, stream, *event)) return;
    emulator::api::prepare(*context, wait)(*stream);
  });
}

CUresult cuStreamGetFlags(CUstream stream, unsigned int* flags) {
  return answer([&] {
    const auto context = current_context();
    require(flags != nullptr);
    *flags = context->stream(stream)->flags();
  });
}

CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return answer([&] {
    const auto context = current_context();
    require(priority != nullptr);
    *priority = context->stream(stream)->priority();
  });
}

CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  return answer([&] {
    const auto context = current_context();
    require(id != nullptr);
    *id = context->stream(stream)->id();
  });
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice* device) {
  return answer([&] {
    const auto context = current_context();
    require(device != nullptr);
    (void)context->stream(stream);
    *device = 0;
  });
}

CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* owner, CUgreenCtx* green) {
  return answer([&] {
    const auto context = current_context();
    require(owner != nullptr && green != nullptr);
    (void)context->stream(stream);
    *owner = emulator::api::CurrentContexts::top();
    *green = nullptr;
  });
}

// The attributes of streams say where data is kept and how to wait, which changes no result: they
// are kept for who asks.
CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID which, CUstreamAttrValue* value) {
  return answer([&] {
    const auto context = current_context();
    require(value != nullptr);
    *value = context->stream(stream)->attributes().get(which);
  });
}

CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID which,
                              const CUstreamAttrValue* value) {
  return answer([&] {
    const auto context = current_context();
    require(value != nullptr);
    context->stream(stream)->attributes().set(which, *value);
  });
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  return answer([&] {
    const auto context = current_context();
    context->stream(to)->attributes().copy(context->stream(from)->attributes());
  });
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext* owner) {
  return answer([&] {
    const auto context = current_context();
    require(owner != nullptr);
    (void)context->stream(stream);
    *owner = emulator::api::CurrentContexts::top();
  });
}

CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void* data,
                             unsigned int flags) {
  return answer([&] {
    const auto context = current_context();
    require(callback != nullptr && flags == 0);
    const auto stream = context->stream(handle);
    emulator::api::refuse_if_capturing(*context, *stream);
    // Called after a fault as well, with what went wrong, so that nobody waits for it in vain.
    stream->follow(context->executor().submit([=, context = context.get()](emulator::api::Ticket) {
      callback(handle, answer([=] { context->require_sound(); }), data);
    }));
  });
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void* data) {
  return answer([&] {
    const auto context = current_context();
    require(function != nullptr);
    emulator::api::enqueue(*context, handle, HostOperation{function, data});
  });
}
