// honest: 64 x 64 tiles, deeper.
// source: tests/data/edits/10-deeper-tiles.cu
