// For what the program does not know that we do on its device.
#pragma once

#include <cuda.h>

#include "driver/real_driver.h"

namespace autokernel::inject {

// A capture of streams elsewhere must not be ended by our synchronizing, copying and loading.
class RelaxedCaptureMode {
 public:
  RelaxedCaptureMode() { (void)AUTOKERNEL_REAL(cuThreadExchangeStreamCaptureMode)(&mode_); }
  RelaxedCaptureMode(const RelaxedCaptureMode&) = delete;
  RelaxedCaptureMode& operator=(const RelaxedCaptureMode&) = delete;
  ~RelaxedCaptureMode() { (void)AUTOKERNEL_REAL(cuThreadExchangeStreamCaptureMode)(&mode_); }

 private:
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace autokernel::inject
