// CUTLASS's device-level GEMM with one tile: row-major, with sums in fp32. Lines before this text define which (cutlass.cpp);
// nvcc builds it into a library with the three functions at the end.
#include <cuda_runtime.h>
#include <cutlass/cutlass.h>
#include <cutlass/version.h>

#if FOR_HOPPER
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/gemm/kernel/gemm_universal.hpp>
#else
#include <cutlass/epilogue/thread/linear_combination.h>
#include <cutlass/gemm/device/gemm_universal.h>
#endif

namespace {

using RowMajor = cutlass::layout::RowMajor;

#if FOR_HOPPER

using cute::Int;
using cute::Shape;
using cutlass::arch::OpClassTensorOp;
using cutlass::arch::Sm90;

// TMA moves rows of whole 16 bytes.
constexpr int kAligned = 16 / sizeof(ELEMENT);
constexpr int kAlignedOut = 16 / sizeof(ELEMENT_OUT);
using Tile = Shape<Int<TILE_M>, Int<TILE_N>, Int<TILE_K>>;
using Cluster = Shape<Int<CLUSTER_M>, Int<1>, Int<1>>;

using Epilogue = cutlass::epilogue::collective::CollectiveBuilder<
    Sm90, OpClassTensorOp, Tile, Cluster, cutlass::epilogue::collective::EpilogueTileAuto, float, float, void, RowMajor,
    kAlignedOut, ELEMENT_OUT, RowMajor, kAlignedOut, cutlass::epilogue::EPILOGUE>::CollectiveOp;
using Mainloop = cutlass::gemm::collective::CollectiveBuilder<
    Sm90, OpClassTensorOp, ELEMENT, RowMajor, kAligned, ELEMENT, RowMajor, kAligned, float, Tile, Cluster,
    cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(sizeof(typename Epilogue::SharedStorage))>,
    cutlass::gemm::MAINLOOP>::CollectiveOp;
using Kernel =
    cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int, int>, Mainloop, Epilogue, cutlass::gemm::SCHEDULER>;
using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;

// Of a matrix whose rows, or columns, lie so far from each other.
template <typename Stride, int kMode>
Stride strided(int distance) {
  Stride stride{};
  cute::get<kMode>(stride) = distance;
  return stride;
}

Gemm::Arguments arguments(int m, int n, int k, const void* a, const void* b, void* c) {
  cutlass::KernelHardwareInfo hardware;
  cudaGetDevice(&hardware.device_id);
  hardware.sm_count = cutlass::KernelHardwareInfo::query_device_multiprocessor_count(hardware.device_id);
  return {cutlass::gemm::GemmUniversalMode::kGemm,
          {m, n, k, 1},
          {static_cast<const ELEMENT*>(a), strided<typename Kernel::StrideA, 0>(k), static_cast<const ELEMENT*>(b),
           strided<typename Kernel::StrideB, 1>(n)},
          {{1.0F, 0.0F},
           nullptr,
           strided<typename Kernel::StrideC, 0>(n),
           static_cast<ELEMENT_OUT*>(c),
           strided<typename Kernel::StrideD, 0>(n)},
          hardware};
}

#else

using cutlass::gemm::GemmShape;

// Without tensor cores each thread moves one element at a time.
constexpr int kAligned = TENSOR_CORES ? 16 / sizeof(ELEMENT) : 1;
constexpr int kAlignedOut = TENSOR_CORES ? 16 / sizeof(ELEMENT_OUT) : 1;
#if TENSOR_CORES
using Unit = cutlass::arch::OpClassTensorOp;
using Instruction = GemmShape<16, 8, 16>;
#else
using Unit = cutlass::arch::OpClassSimt;
using Instruction = GemmShape<1, 1, 1>;
#endif

using Gemm = cutlass::gemm::device::GemmUniversal<
    ELEMENT, RowMajor, ELEMENT, RowMajor, ELEMENT_OUT, RowMajor, float, Unit, cutlass::arch::Sm80,
    GemmShape<TILE_M, TILE_N, TILE_K>, GemmShape<WARP_M, WARP_N, TILE_K>, Instruction,
    cutlass::epilogue::thread::LinearCombination<ELEMENT_OUT, kAlignedOut, float, float>,
    cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<8>, STAGES, kAligned, kAligned>;

Gemm::Arguments arguments(int m, int n, int k, const void* a, const void* b, void* c) {
  return {cutlass::gemm::GemmUniversalMode::kGemm, {m, n, k}, 1, {1.0F, 0.0F}, a, b, c, c, 0, 0, 0, 0, k, n, n, n};
}

#endif

const char* text_of(cutlass::Status status) {
  return status == cutlass::Status::kSuccess ? nullptr : cutlass::cutlassGetStatusString(status);
}

}  // namespace

extern "C" {

const char* cutlass_version(void) {
#define TEXT_OF(number) #number
#define VERSION(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)
  return VERSION(CUTLASS_MAJOR, CUTLASS_MINOR, CUTLASS_PATCH);
}

// Null: it multiplies an [m, k] by a [k, n] matrix, with so much workspace; else why not.
const char* cutlass_prepare(int m, int n, int k, unsigned long long* workspace_bytes) {
  const Gemm::Arguments all = arguments(m, n, k, nullptr, nullptr, nullptr);
  if (const char* why = text_of(Gemm::can_implement(all))) return why;
  *workspace_bytes = Gemm::get_workspace_size(all);
  return nullptr;
}

// Null: it is queued; else why not.
const char* cutlass_launch(int m, int n, int k, const void* a, const void* b, void* c, void* workspace, cudaStream_t stream) {
  Gemm gemm;
  return text_of(gemm(arguments(m, n, k, a, b, c), workspace, stream));
}
}
