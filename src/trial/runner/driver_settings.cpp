#include "trial/runner/driver_settings.h"

#include <cstdlib>

#include "trial/blas/openblas.h"

namespace autokernel::trial {

void set_driver_up() {
  // Loading all kernels of cuBLAS beforehand takes a second. Every kernel that is timed runs
  // unblocked before, so none is loaded behind a gate that only opens when all is queued.
  setenv("CUDA_MODULE_LOADING", "LAZY", 1);
  // What is measured is made from the source at hand, not found in a folder anyone can write to.
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  OpenBlas::let_idle_threads_sleep();
}

}  // namespace autokernel::trial
