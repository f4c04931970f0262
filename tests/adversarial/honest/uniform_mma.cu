// honest: the same with mma.sync and asynchronous copies.
// source: tests/data/kernels/pipelined.cu
// case: tests/adversarial/cases/uniform_product
