#include "autokernel/driver/stream.h"

#include <array>

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

namespace {

// What a launch asks for beyond its grid and its block.
class Attributes {
 public:
  explicit Attributes(const Shape& shape) {
    if (shape.blocks_per_cluster() > 1) {
      auto& [x, y, z] = add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim;
      x = shape.cluster[0];
      y = shape.cluster[1];
      z = shape.cluster[2];
    }
    if (shape.cooperative) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
    if (shape.programmatic)
      add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
          .programmaticStreamSerializationAllowed = 1;
  }
  [[nodiscard]] CUlaunchAttribute* data() { return all_.data(); }
  [[nodiscard]] unsigned count() const { return count_; }

 private:
  CUlaunchAttributeValue& add(CUlaunchAttributeID id) {
    CUlaunchAttribute& attribute = all_.at(count_++);
    attribute.id = id;
    return attribute.value;
  }

  std::array<CUlaunchAttribute, 3> all_{};
  unsigned count_ = 0;
};

}  // namespace

std::optional<Fault> Stream::launch(const Kernel& kernel, const Shape& shape,
                                    std::span<void*> parameters) const {
  Attributes attributes(shape);
  const auto& [grid_x, grid_y, grid_z] = shape.grid;
  const auto& [block_x, block_y, block_z] = shape.block;
  const CUlaunchConfig config = {.gridDimX = grid_x,
                                 .gridDimY = grid_y,
                                 .gridDimZ = grid_z,
                                 .blockDimX = block_x,
                                 .blockDimY = block_y,
                                 .blockDimZ = block_z,
                                 .sharedMemBytes = shape.shared_bytes,
                                 .hStream = handle_.get(),
                                 .attrs = attributes.data(),
                                 .numAttrs = attributes.count()};
  const CUresult status = api_->launch_kernel(&config, kernel.get(), parameters.data(), nullptr);
  return check_launch(*api_, status, "cuLaunchKernelEx", "launch a kernel");
}

std::optional<Fault> Stream::record(const Event& event) const {
  return check_after_launch(*api_, api_->event_record(event.get(), handle_.get()), "cuEventRecord",
                            "record an event");
}

std::optional<Fault> Stream::copy(Address to, Address from, std::size_t bytes) const {
  require(api_->copy_within_device, "cuMemcpyDtoDAsync");
  return check_after_launch(*api_, api_->copy_within_device(to, from, bytes, handle_.get()),
                            "cuMemcpyDtoDAsync",
                            "copy " + std::to_string(bytes) + " bytes of device memory");
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
