# Eight warps to a block, and loads that stay in the caches.
s|COUNT_out0 / 4|COUNT_out0 / 8|
s/\{32, 4\}/{32, 8}/
s/__launch_bounds__\(128\)/__launch_bounds__(256)/
s/blockIdx\.x \* 4 /blockIdx.x * 8 /
s/__ldcs\(x \+ v \* 32 \+ threadIdx\.x\)/x[v * 32 + threadIdx.x]/
