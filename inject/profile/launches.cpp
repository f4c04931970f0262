#include "launches.h"

#include <array>
#include <cstring>

#include "kept_errno.h"
#include "line.h"
#include "now.h"
#include "product_call.h"
#include "thread_number.h"

namespace recording {
namespace {

constexpr std::array kKernelLaunches = {
    cupti::kLaunch,
    cupti::kLaunchGrid,
    cupti::kLaunchGridAsync,
    cupti::kLaunchKernel,
    cupti::kLaunchKernelPerThread,
    cupti::kLaunchKernelEx,
    cupti::kLaunchKernelExPerThread,
    cupti::kLaunchCooperative,
    cupti::kLaunchCooperativePerThread,
    cupti::kLaunchCooperativeMultiDevice,
};
constexpr std::array kGraphLaunches = {cupti::kGraphLaunch, cupti::kGraphLaunchPerThread};
constexpr std::array kContextEnds = {
    cupti::kContextDestroy,      cupti::kContextDestroyV2,        cupti::kPrimaryContextRelease,
    cupti::kPrimaryContextReset, cupti::kPrimaryContextReleaseV2, cupti::kPrimaryContextResetV2,
};
constexpr std::array kCaptures = {
    cupti::kBeginCapture,        cupti::kBeginCapturePerThread,
    cupti::kBeginCaptureV2,      cupti::kBeginCaptureV2PerThread,
    cupti::kBeginCaptureToGraph, cupti::kBeginCaptureToGraphPerThread,
};

template <std::size_t Count>
constexpr bool is_one_of(const std::array<cupti::DriverCall, Count>& calls,
                         cupti::DriverCall call) {
  for (const cupti::DriverCall one : calls) {
    if (one == call) return true;
  }
  return false;
}

// Where a call's parameters, as generated_cuda_meta.h lists them, have the stream.
constexpr std::size_t kStreamOfLaunchKernel = 40;   // after the function, six extents and a size
constexpr std::size_t kStreamOfConfiguration = 32;  // CUlaunchConfig: six extents and a size
constexpr std::size_t kStreamOfGraphLaunch = 8;
constexpr std::size_t kStreamOfGridAsync = 16;

void* pointer_at(const void* structure, std::size_t offset) {
  void* pointer = nullptr;
  std::memcpy(static_cast<void*>(&pointer), static_cast<const char*>(structure) + offset,
              sizeof pointer);
  return pointer;
}

void* stream_of(cupti::DriverCall call, const void* parameters) {
  switch (call) {
    case cupti::kLaunchKernel:
    case cupti::kLaunchKernelPerThread:
    case cupti::kLaunchCooperative:
    case cupti::kLaunchCooperativePerThread:
      return pointer_at(parameters, kStreamOfLaunchKernel);
    case cupti::kLaunchKernelEx:
    case cupti::kLaunchKernelExPerThread: {
      const void* const configuration = pointer_at(parameters, 0);
      return configuration == nullptr ? nullptr : pointer_at(configuration, kStreamOfConfiguration);
    }
    case cupti::kGraphLaunch:
    case cupti::kGraphLaunchPerThread:
      return pointer_at(parameters, kStreamOfGraphLaunch);
    case cupti::kLaunchGridAsync:
      return pointer_at(parameters, kStreamOfGridAsync);
    default:
      return nullptr;
  }
}

// In these, no stream means the calling thread's own rather than the one of all threads.
bool is_per_thread(cupti::DriverCall call) {
  return call == cupti::kLaunchKernelPerThread || call == cupti::kLaunchKernelExPerThread ||
         call == cupti::kLaunchCooperativePerThread || call == cupti::kGraphLaunchPerThread;
}

}  // namespace

void Launches::watch(const CuptiLibrary& cupti, cupti::Subscriber subscriber) {
  const auto enable = [&](const auto& calls) {
    for (const cupti::DriverCall call : calls) {
      (void)cupti.enable_callback(1, subscriber, cupti::kDriverApi, call);
    }
  };
  enable(kCaptures);
  enable(kContextEnds);
  enable(kKernelLaunches);
  enable(kGraphLaunches);
}

void Launches::called(void* launches, cupti::Domain domain, std::uint32_t call, const void* data) {
  auto* const self = static_cast<Launches*>(launches);
  // Not in a child that was forked, nor when the record has been closed.
  if (domain != cupti::kDriverApi || &self->recorder_ != recorder()) return;
  const auto driver_call = static_cast<cupti::DriverCall>(call);
  const auto& told = *static_cast<const cupti::CallbackData*>(data);
  if (is_one_of(kCaptures, driver_call)) {
    self->captures_.store(true, std::memory_order_relaxed);
  } else if (is_one_of(kContextEnds, driver_call)) {
    const KeptErrno kept;
    if (told.site == cupti::kEnter) self->recorder_.context_ends();
  } else if (told.site == cupti::kEnter) {
    *told.between = now();
  } else {
    self->ended(driver_call, told);
  }
}

void Launches::ended(cupti::DriverCall call, const cupti::CallbackData& data) {
  if (data.result == nullptr || *data.result != 0) return;
  const KeptErrno kept;
  devices_.write_once();
  if (captures_.load(std::memory_order_relaxed) && is_captured(call, data.parameters)) return;
  const bool is_graph = is_one_of(kGraphLaunches, call);
  if (!is_graph) kernels_.fetch_add(1, std::memory_order_relaxed);

  std::array<char, 128> room;  // NOLINT(*-member-init)
  recorder_.gpu.add(Line{room, 'L'}
                        .number(std::uint64_t{data.correlation})
                        .number(thread_number())
                        .number(*data.between)
                        .text(is_graph ? "graph" : "kernel")
                        .done());
  const std::uint32_t product = called_product();
  if (product == 0) return;
  recorder_.gpu.add(Line{room, 'A'}
                        .number(std::uint64_t{data.correlation})
                        .number(std::uint64_t{product})
                        .done());
}

// The driver refuses to say so of the stream of all threads while another stream is captured; a
// launch there that succeeded was not captured.
bool Launches::is_captured(cupti::DriverCall call, const void* parameters) const {
  const auto ask = is_per_thread(call) ? driver_.is_capturing_per_thread : driver_.is_capturing;
  if (ask == nullptr || parameters == nullptr || call == cupti::kLaunchCooperativeMultiDevice) {
    return false;
  }
  std::int32_t status = 0;
  return ask(stream_of(call, parameters), &status) == 0 && status != 0;
}

}  // namespace recording
