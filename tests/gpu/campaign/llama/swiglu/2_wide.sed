# Eight warps to a block instead of four.
s/kWarps = 4;/kWarps = 8;/
s|COUNT_out0 / 4|COUNT_out0 / 8|
s/\{32, 4\}/{32, 8}/
