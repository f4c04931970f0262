// Streams that build a graph of what they are given instead of doing it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "api/context.h"
#include "api/graph.h"
#include "api/operation.h"

namespace emulator::api {

// One capture, from cuStreamBeginCapture to cuStreamEndCapture: of the stream it began on and of
// all that have waited for an event of it.
struct Capture {
  std::uint64_t id;
  CUstreamCaptureMode mode;
  std::thread::id thread;
  const Stream* origin;
  std::shared_ptr<Graph> graph;
  bool is_new_graph;  // rather than one that the program had
  bool invalidated = false;
  std::vector<std::weak_ptr<Stream>> streams;
  std::vector<std::uint64_t> added;  // ids of the nodes
};

// Where a capture is in one stream, or was when an event was recorded: what the next node depends
// on.
struct CapturePoint {
  std::shared_ptr<Capture> capture;
  std::vector<Node*> frontier;
  std::vector<CUgraphNode> handles;  // of the frontier, once cuStreamGetCaptureInfo has asked
};

// All of it is guarded by the mutex of the graphs' tables, which the functions below take.

void begin_capture(Context& context, const std::shared_ptr<Stream>& stream,
                   CUstreamCaptureMode mode);
void begin_capture(Context& context, const std::shared_ptr<Stream>& stream,
                   CUstreamCaptureMode mode, const std::shared_ptr<Graph>& graph,
                   std::vector<Node*> dependencies);
// The graph. Throws Refusal where the capture went wrong; it has ended all the same.
[[nodiscard]] std::shared_ptr<Graph> end_capture(Stream& stream);

// True where the stream is capturing: the operation is a node now. Throws Refusal, and invalidates
// the captures concerned, where the call is not allowed because of one.
[[nodiscard]] bool capture(Context& context, Stream& stream, const Operation& operation);
// The same for events that only order what is captured.
[[nodiscard]] bool capture_record(Context& context, Stream& stream, Event& event);
[[nodiscard]] bool capture_wait(Context& context, const std::shared_ptr<Stream>& stream,
                                Event& event);

// Refuse calls that a capture does not allow, and invalidate it.
//
// Waiting for a stream, or asking how far it is.
void refuse_if_capturing(Context& context, Stream& stream);
// The same for everything in the context.
void refuse_if_any_capturing(Context& context);
// Calls that CUDA counts as unsafe while somebody captures, such as allocating memory; it depends
// on the modes of the captures and of the thread.
void refuse_unsafe_call();
// Asking for an event that was recorded in a capture.
void refuse_captured(const Event& event);
// A call that waits for the legacy default stream.
void refuse_synchronous_call(Context& context);

struct CaptureState {
  CUstreamCaptureStatus status;
  std::shared_ptr<Capture> capture;
};
[[nodiscard]] CaptureState capture_state(Context& context, Stream& stream);

// Of the calling thread, for cuThreadExchangeStreamCaptureMode.
[[nodiscard]] CUstreamCaptureMode exchange_capture_mode(CUstreamCaptureMode mode);

}  // namespace emulator::api
