// honest: an editor put a byte order mark in front of it.
// source: tests/data/kernels/byte_order_mark.cu
