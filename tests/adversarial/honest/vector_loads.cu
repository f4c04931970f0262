// honest: eight bf16 to a load, 64 x 64 tiles, registers.
// source: tests/data/edits/06-vector-loads.cu
