#include "trial/time/device_warm_up.h"

namespace autokernel::trial {
namespace {

// Each writes and reads twice the L2, which takes an H100 80 us.
constexpr int kFlushes = 20;

}  // namespace

DeviceWarmUp::DeviceWarmUp(const driver::Device& device, const compile::Program& program)
    : tools_(device, program), stream_(device.make_stream()) {}

void DeviceWarmUp::go_on() {
  for (int i = 0; i < kFlushes; ++i) tools_.flush(stream_);
  expect_queued(stream_.wait());
}

}  // namespace autokernel::trial
