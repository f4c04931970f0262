// honest: an example for Hopper: the same in clusters, with multicast.
// source: kernels/examples/cluster_multicast.cu
// needs: sm_90a
