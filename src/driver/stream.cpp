#include "autokernel/driver/stream.h"

#include "driver/api.h"
#include "driver/status.h"

namespace autokernel::driver {

double Event::microseconds_since(const Event& start) const {
  float milliseconds = 0;
  check(*api_, api_->event_elapsed_time(&milliseconds, start.get(), get()), "cuEventElapsedTime",
        "read the time between two events");
  constexpr double kMicroPerMilli = 1000;
  return static_cast<double>(milliseconds) * kMicroPerMilli;
}

std::optional<Fault> Stream::launch(const Kernel& kernel, const Shape& shape,
                                    std::span<void*> parameters) const {
  const auto& [grid, block, shared_bytes] = shape;
  const CUresult status =
      api_->launch_kernel(kernel.get(), grid[0], grid[1], grid[2], block[0], block[1], block[2],
                          shared_bytes, handle_.get(), parameters.data(), nullptr);
  return check_launch(*api_, status, "cuLaunchKernel", "launch a kernel");
}

std::optional<Fault> Stream::record(const Event& event) const {
  return check_after_launch(*api_, api_->event_record(event.get(), handle_.get()), "cuEventRecord",
                            "record an event");
}

std::optional<Fault> Stream::zero(Address address, std::size_t bytes) const {
  return check_after_launch(*api_, api_->set_bytes(address, 0, bytes, handle_.get()),
                            "cuMemsetD8Async",
                            "set " + std::to_string(bytes) + " bytes of device memory to zero");
}

std::optional<Fault> Stream::wait() const {
  return check_after_launch(*api_, api_->stream_synchronize(handle_.get()), "cuStreamSynchronize",
                            "wait for the device");
}

}  // namespace autokernel::driver
