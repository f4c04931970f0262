// honest: an example for Hopper: K divided between the blocks of a cluster.
// source: kernels/examples/cluster_split_k.cu
// needs: sm_90a
