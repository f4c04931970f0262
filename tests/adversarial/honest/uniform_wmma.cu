// honest: sums of values from 0 to 1 on tensor cores.
// source: tests/adversarial/honest/wmma.cu
// case: tests/adversarial/cases/uniform_product
