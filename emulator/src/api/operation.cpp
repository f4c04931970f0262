#include "api/operation.h"

#include <utility>

#include "api/capture.h"
#include "api/copy_request.h"
#include "api/error_translation.h"
#include "api/launch_request.h"
#include "api/pending_launch.h"

namespace emulator::api {
namespace {

Submission submission_of(Context& context, std::function<void()> work) {
  return [&context, work = std::move(work)](Stream& stream) { context.submit(stream, work); };
}

class Preparation {
 public:
  explicit Preparation(Context& context) : context_(context) {}

  Submission operator()(const KernelOperation& kernel) const {
    return [&context = context_, launch = prepare_launch(context_, kernel)](Stream& stream) {
      submit(context, stream, launch);
    };
  }
  Submission operator()(const CopyOperation& copy) const {
    return submission_of(context_, copying(context_, copy.copy));
  }
  Submission operator()(const FillOperation& fill) const {
    return submission_of(context_, filling(context_, fill.fill));
  }
  Submission operator()(const HostOperation& host) const {
    return submission_of(context_, [host] { host.function(host.data); });
  }
  Submission operator()(const RecordOperation& record) const {
    return [&context = context_, event = record.event](Stream& stream) {
      context.record(event, stream);
    };
  }
  // Whatever the stream is given from now on comes later in the one order anyway.
  Submission operator()(const WaitOperation& wait) const {
    return [event = wait.event](Stream& stream) {
      stream.close_joinable();
      stream.follow(event->ticket());
    };
  }
  Submission operator()(const ChildOperation&) const {
    return [](Stream&) {};
  }
  Submission operator()(const EmptyOperation&) const {
    return [](Stream&) {};
  }

 private:
  Context& context_;
};

}  // namespace

Submission prepare(Context& context, const Operation& operation) {
  return std::visit(Preparation(context), operation);
}

void enqueue(Context& context, CUstream handle, const Operation& operation) {
  const std::shared_ptr<Stream> stream = context.stream(handle);
  if (capture(context, *stream, operation)) return;
  prepare(context, operation)(*stream);
}

}  // namespace emulator::api
