// honest: the same in tiles, one product after the other.
// source: tests/adversarial/honest/shared_tiles.cu
// case: tests/adversarial/cases/uniform_product
