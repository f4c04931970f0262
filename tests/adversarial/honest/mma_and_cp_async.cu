// honest: mma.sync with ldmatrix, tiles by cp.async in two stages.
// source: tests/data/kernels/pipelined.cu
