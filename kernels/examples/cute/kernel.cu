// C = A x B with CuTe, the layout algebra of CUTLASS: cp.async brings tiles through a ring of
// stages, ldmatrix and mma.sync multiply them. Layouts say what lies where; no index is computed by
// hand. Needs CUTLASS's headers: get_cutlass.sh fetches them, case.toml says where they are.
#include <autokernel.cuh>
#include <cute/tensor.hpp>

using namespace cute;
using Element = cute::bfloat16_t;

constexpr int BM = 64;
constexpr int BN = 64;
constexpr int BK = 64;
constexpr int STAGES = 3;
constexpr int THREADS = 128;

// Rows of 64 elements, whose chunks of 8 are permuted so that ldmatrix meets no bank conflict. A
// has K innermost, B has N innermost.
using AtomA = decltype(composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{}));
using AtomB = decltype(composition(Swizzle<3, 3, 3>{}, Layout<Shape<_64, _8>, Stride<_1, _64>>{}));
using LayoutA = decltype(tile_to_shape(AtomA{}, Shape<Int<BM>, Int<BK>, Int<STAGES>>{}));
using LayoutB = decltype(tile_to_shape(AtomB{}, Shape<Int<BN>, Int<BK>, Int<STAGES>>{}));

struct Shared {
  alignas(128) Element a[cosize_v<LayoutA>];
  alignas(128) Element b[cosize_v<LayoutB>];
};

AUTOKERNEL_LAUNCH({.kernel = "matmul",
                   .grid = {N / BN, M / BM},
                   .block = {THREADS},
                   .shared_bytes = sizeof(Shared)});

// 16 bytes a thread, along the innermost dimension.
using Fetch = Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<cute::uint128_t>, Element>;
using FetchA = decltype(make_tiled_copy(Fetch{}, Layout<Shape<_16, _8>, Stride<_8, _1>>{},
                                        Layout<Shape<_1, _8>>{}));
using FetchB = decltype(make_tiled_copy(Fetch{}, Layout<Shape<_8, _16>, Stride<_1, _8>>{},
                                        Layout<Shape<_8, _1>>{}));
// Four warps, 32 x 32 x 16 at a time.
using Multiply = TiledMMA<MMA_Atom<SM80_16x8x16_F32BF16BF16F32_TN>, Layout<Shape<_2, _2, _1>>,
                          Tile<_32, _32, _16>>;

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul(const Element* A, const Element* B, Element* C) {
  extern __shared__ __align__(128) char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);

  const Tensor a = make_tensor(make_gmem_ptr(A), Shape<Int<M>, Int<K>>{}, Stride<Int<K>, _1>{});
  const Tensor b = make_tensor(make_gmem_ptr(B), Shape<Int<N>, Int<K>>{}, Stride<_1, Int<N>>{});
  Tensor c = make_tensor(make_gmem_ptr(C), Shape<Int<M>, Int<N>>{}, Stride<Int<N>, _1>{});
  // The block's: tiles of A and B along K, and one of C.
  const Tensor tiles_a = local_tile(a, Shape<Int<BM>, Int<BK>>{}, make_coord(blockIdx.y, _));
  const Tensor tiles_b = local_tile(b, Shape<Int<BN>, Int<BK>>{}, make_coord(blockIdx.x, _));
  Tensor tile_c = local_tile(c, Shape<Int<BM>, Int<BN>>{}, make_coord(blockIdx.y, blockIdx.x));
  Tensor shared_a = make_tensor(make_smem_ptr(shared.a), LayoutA{});
  Tensor shared_b = make_tensor(make_smem_ptr(shared.b), LayoutB{});

  FetchA fetch_a;
  FetchB fetch_b;
  const auto my_fetch_a = fetch_a.get_slice(threadIdx.x);
  const auto my_fetch_b = fetch_b.get_slice(threadIdx.x);
  const Tensor from_a = my_fetch_a.partition_S(tiles_a);
  const Tensor from_b = my_fetch_b.partition_S(tiles_b);
  Tensor to_a = my_fetch_a.partition_D(shared_a);
  Tensor to_b = my_fetch_b.partition_D(shared_b);
  const auto fetch_stage = [&](int step) {
    if (step < K / BK) {
      copy(fetch_a, from_a(_, _, _, step), to_a(_, _, _, step % STAGES));
      copy(fetch_b, from_b(_, _, _, step), to_b(_, _, _, step % STAGES));
    }
    cp_async_fence();  // empty at the end, so that the count stays right
  };

  Multiply multiply;
  const auto my_part = multiply.get_slice(threadIdx.x);
  Tensor fragment_a = my_part.partition_fragment_A(shared_a(_, _, 0));
  Tensor fragment_b = my_part.partition_fragment_B(shared_b(_, _, 0));
  Tensor sums = my_part.make_fragment_C(my_part.partition_C(tile_c));
  clear(sums);
  const auto read_a = make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, Element>{}, multiply);
  const auto read_b = make_tiled_copy_B(Copy_Atom<SM75_U16x8_LDSM_T, Element>{}, multiply);
  const auto my_read_a = read_a.get_slice(threadIdx.x);
  const auto my_read_b = read_b.get_slice(threadIdx.x);
  const Tensor read_from_a = my_read_a.partition_S(shared_a);
  const Tensor read_from_b = my_read_b.partition_S(shared_b);
  Tensor read_to_a = my_read_a.retile_D(fragment_a);
  Tensor read_to_b = my_read_b.retile_D(fragment_b);

  for (int step = 0; step < STAGES - 1; ++step) fetch_stage(step);
#pragma unroll 1  // the compiler takes minutes else
  for (int step = 0; step < K / BK; ++step) {
    cp_async_wait<STAGES - 2>();
    // The stage has arrived for all, and all are through with the one that is fetched next.
    __syncthreads();
    fetch_stage(step + STAGES - 1);
    copy(read_a, read_from_a(_, _, _, step % STAGES), read_to_a);
    copy(read_b, read_from_b(_, _, _, step % STAGES), read_to_b);
    gemm(multiply, fragment_a, fragment_b, sums);
  }

  Tensor rounded = make_tensor_like<Element>(sums);
  for (int i = 0; i < size(sums); ++i) rounded(i) = Element(sums(i));
  copy(rounded, my_part.partition_C(tile_c));
}
