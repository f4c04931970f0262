// A queue of work on the device, and marks in it that carry a time.
#pragma once

#include <optional>
#include <span>

#include "autokernel/base/owned.h"
#include "autokernel/driver/fault.h"
#include "autokernel/driver/memory.h"
#include "autokernel/driver/module.h"

struct CUstream_st;
struct CUevent_st;

namespace autokernel::driver {

// Recorded into a stream; knows when the work before it was done.
class Event {
 public:
  Event(const Api& api, Owned<CUevent_st*> handle) : api_(&api), handle_(std::move(handle)) {}
  [[nodiscard]] CUevent_st* get() const noexcept { return handle_.get(); }

  // Microseconds from `start` to this event; both have been reached. The device's resolution is
  // about 0.5 us.
  [[nodiscard]] double microseconds_since(const Event& start) const;

 private:
  const Api* api_;
  Owned<CUevent_st*> handle_;
};

// Whatever a kernel did wrong comes out of the calls that may meet it first, as a Fault; after one,
// the device can be used no more by this process.
class Stream {
 public:
  Stream(const Api& api, Owned<CUstream_st*> handle) : api_(&api), handle_(std::move(handle)) {}
  [[nodiscard]] CUstream_st* get() const noexcept { return handle_.get(); }

  // Queues one launch. `parameters` are addresses of the kernel's parameters, in their order. A
  // fault means that the launch was refused (its shape is impossible on this device) or that an
  // earlier launch went wrong.
  [[nodiscard]] std::optional<Fault> launch(const Kernel& kernel, const Shape& shape,
                                            std::span<void*> parameters) const;
  [[nodiscard]] std::optional<Fault> record(const Event& event) const;
  // Queues the writing of `bytes` zero bytes.
  [[nodiscard]] std::optional<Fault> zero(Address address, std::size_t bytes) const;
  // Queues a copy within the device's memory.
  [[nodiscard]] std::optional<Fault> copy(Address to, Address from, std::size_t bytes) const;
  // Comes back when everything queued is done.
  [[nodiscard]] std::optional<Fault> wait() const;

 private:
  const Api* api_;
  Owned<CUstream_st*> handle_;
};

}  // namespace autokernel::driver
