// What the CUDA driver calls in the library that CUDA_INJECTION64_PATH names, while it starts.
#include "entry.h"
#include "gpu_recording.h"
#include "kept_errno.h"

// The driver takes anything but 0 for success; a profile is never a reason not to run.
AUTOKERNEL_ENTRY int InitializeInjection() {
  const recording::KeptErrno kept;
  recording::start_gpu_recording();
  return 1;
}
