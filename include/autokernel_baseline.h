// Served to the baselines of a case as <autokernel_baseline.h>: what a program that computes the
// same with a library has to define. `autokernel bench --baselines` builds it for the machine it
// measures on, where <autokernel_sizes.cuh> has the sizes of the case as constants (ROWS, COLS,
// ...), compares what it writes with the reference and times it as it times kernels.
#pragma once

struct CUstream_st;  // a CUstream or cudaStream_t is a pointer to one

struct AutokernelBaseline {
  const char* name;                    // the library and its version, "CUB 3.0.1"
  const char* configuration;           // how it is called, "DeviceSegmentedRadixSort"
  unsigned long long workspace_bytes;  // of device memory that every launch is given; may stay 0
};

extern "C" {

// Gets ready, once, and fills in `baseline`, whose texts must stay where they are. A context is
// current. Null: it is ready; else why it cannot be.
const char* autokernel_baseline_prepare(AutokernelBaseline* baseline);

// Queues the work on `stream` and waits for nothing. `arguments` are those of a kernel of the case
// as cuLaunchKernel takes them: each points to a tensor's address, or to a scalar's value. Null:
// it is queued; else why not.
const char* autokernel_baseline_launch(void* const* arguments, void* workspace,
                                       CUstream_st* stream);
}

// The argument with that index: `autokernel_argument<const float*>(arguments, 0)`.
template <typename Type>
Type autokernel_argument(void* const* arguments, int index) {
  return *static_cast<const Type*>(arguments[index]);
}
