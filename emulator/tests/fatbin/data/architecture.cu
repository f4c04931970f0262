// Says which architecture it was compiled for. The fat binaries beside this file were made of it by
// make.sh, with nvcc 13.0.
extern "C" __global__ void k(unsigned* out) { *out = __CUDA_ARCH__; }
