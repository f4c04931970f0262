// honest: an example for Hopper: tensor copies and wgmma, warp-specialised.
// source: kernels/examples/wgmma_tma.cu
// needs: sm_90a
