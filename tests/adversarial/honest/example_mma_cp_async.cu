// honest: an example, for Ampere and later: cp.async and mma.sync.
// source: kernels/examples/mma_cp_async.cu
