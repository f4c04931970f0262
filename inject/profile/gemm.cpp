// The products of cuBLAS, in front of cuBLAS's own (LD_PRELOAD). Each name has a twin for matrices
// of more than 2^31 elements along a side (_64, since CUDA 12).
#include <cstdint>

#include "blas.h"
#include "entry.h"
#include "forward.h"
#include "product_call.h"
#include "replaced_product.h"

namespace recording {
namespace {

constinit Forward pointer_mode{"cublasGetPointerMode_v2"};
constinit Forward math_mode{"cublasGetMathMode"};
constinit Forward stream_getter{"cublasGetStream_v2"};

std::int32_t mode_of(Forward& getter, void* caller, const void* handle, std::int32_t by_default) {
  const auto get = getter.to<blas::GetMode>(caller);
  std::int32_t mode = by_default;
  if (get == nullptr || get(handle, &mode) != blas::kSuccess) return by_default;
  return mode;
}

// One product, or several of the same kind.
struct Batch {
  std::int64_t count = 1;
  bool pointer_array = false;
};

// What all forms of the call have, in the types of the widest.
struct Gemm {
  const char* call;
  void* handle;
  std::int32_t transpose_a, transpose_b;
  std::int64_t m, n, k;
  const void* alpha;
  Matrix a, b;
  const void* beta;
  Matrix c;
  std::int32_t compute_type;
  Batch batch = {};
};

// The handle may let single precision be computed in TF32, where the call does not say so.
std::int32_t compute_type_of(const Gemm& gemm, void* caller) {
  if (gemm.compute_type != blas::kCompute32F || gemm.a.type != blas::kR32F) {
    return gemm.compute_type;
  }
  const std::int32_t mode = mode_of(math_mode, caller, gemm.handle, 0);
  return (mode & blas::kMathModeMask) == blas::kMathTf32 ? blas::kCompute32FFastTf32
                                                         : blas::kCompute32F;
}

Product product_of(const Gemm& gemm, void* caller) {
  Product product;
  product.call = gemm.call;
  product.m = gemm.m;
  product.n = gemm.n;
  product.k = gemm.k;
  product.batch = gemm.batch.count;
  product.transpose_a = gemm.transpose_a;
  product.transpose_b = gemm.transpose_b;
  product.a = gemm.a;
  product.b = gemm.b;
  product.c = product.d = gemm.c;
  product.compute_type = compute_type_of(gemm, caller);
  product.scale_type = scale_type_of(gemm.compute_type, gemm.c.type);
  product.pointer_array = gemm.batch.pointer_array;
  const bool is_on_host = mode_of(pointer_mode, caller, gemm.handle, blas::kDevice) == blas::kHost;
  product.alpha = factor_at(is_on_host ? gemm.alpha : nullptr, product.scale_type);
  product.beta = factor_at(is_on_host ? gemm.beta : nullptr, product.scale_type);
  return product;
}

// Where the handle's calls are queued.
void* stream_of(void* handle, void* caller) {
  void* stream = nullptr;
  const auto get = stream_getter.to<blas::GetStream>(caller);
  return get != nullptr && get(handle, &stream) == blas::kSuccess ? stream : nullptr;
}

// The call, computed by a kernel of ours where there is one for it.
template <typename Original>
blas::Status told_or_replaced(const ProductCall& call, const Gemm& gemm, const void* a,
                              const void* b, void* c, void* caller, Original original) {
  const bool may_be_replaced = call.is_outermost() && replaces_products();
  if (!call.is_wanted() && !may_be_replaced) return original();
  const Product product = product_of(gemm, caller);
  if (call.is_wanted()) call.is_for(product);
  const std::uint32_t replacement = may_be_replaced ? replacement_of(product) : 0;
  if (replacement == 0) return original();
  return replaced(replacement, {a, b, c, stream_of(gemm.handle, caller)}, original);
}

// One letter of a function's name says the type of everything in it.
struct Precision {
  std::int32_t type;
  std::int32_t compute_type;
};
constexpr Precision kS{blas::kR32F, blas::kCompute32F};
constexpr Precision kD{blas::kR64F, blas::kCompute64F};
constexpr Precision kC{blas::kC32F, blas::kCompute32F};
constexpr Precision kZ{blas::kC64F, blas::kCompute64F};
constexpr Precision kH{blas::kR16F, blas::kCompute16F};

}  // namespace
}  // namespace recording

// A function's body. The arguments that all have go first, and `gemm` says what its own are for: it
// is looked at only where somebody wants to know.
#define AUTOKERNEL_FORWARD(name, gemm, ...)                          \
  static constinit recording::Forward forward{#name};                \
  void* const caller = __builtin_return_address(0);                  \
  const auto next = forward.to<decltype(&name)>(caller);             \
  if (next == nullptr) return recording::blas::kNotInitialized;      \
  const recording::ProductCall call;                                 \
  return recording::told_or_replaced(                                \
      call, recording::Gemm AUTOKERNEL_BRACED gemm, a, b, c, caller, \
      [&] { return next(handle, ta, tb, m, n, k, alpha, __VA_ARGS__); })
#define AUTOKERNEL_BRACED(...) {__VA_ARGS__}

#define AUTOKERNEL_FIRST(Int) \
  void *handle, std::int32_t ta, std::int32_t tb, Int m, Int n, Int k, const void *alpha
#define AUTOKERNEL_TOLD(name) #name, handle, ta, tb, m, n, k, alpha

// The functions that name their types, with sides of the integer type Int.
#define AUTOKERNEL_TYPED(suffix, Int)                                                              \
  AUTOKERNEL_ENTRY recording::blas::Status cublasGemmEx##suffix(                                   \
      AUTOKERNEL_FIRST(Int), const void* a, std::int32_t at, Int lda, const void* b,               \
      std::int32_t bt, Int ldb, const void* beta, void* c, std::int32_t ct, Int ldc,               \
      std::int32_t compute, std::int32_t algorithm) {                                              \
    AUTOKERNEL_FORWARD(                                                                            \
        cublasGemmEx##suffix,                                                                      \
        (AUTOKERNEL_TOLD(cublasGemmEx##suffix), {at, lda}, {bt, ldb}, beta, {ct, ldc}, compute),   \
        a, at, lda, b, bt, ldb, beta, c, ct, ldc, compute, algorithm);                             \
  }                                                                                                \
  AUTOKERNEL_ENTRY recording::blas::Status cublasGemmStridedBatchedEx##suffix(                     \
      AUTOKERNEL_FIRST(Int), const void* a, std::int32_t at, Int lda, long long sa, const void* b, \
      std::int32_t bt, Int ldb, long long sb, const void* beta, void* c, std::int32_t ct, Int ldc, \
      long long sc, Int batch, std::int32_t compute, std::int32_t algorithm) {                     \
    AUTOKERNEL_FORWARD(cublasGemmStridedBatchedEx##suffix,                                         \
                       (AUTOKERNEL_TOLD(cublasGemmStridedBatchedEx##suffix), {at, lda, sa},        \
                        {bt, ldb, sb}, beta, {ct, ldc, sc}, compute, {batch, false}),              \
                       a, at, lda, sa, b, bt, ldb, sb, beta, c, ct, ldc, sc, batch, compute,       \
                       algorithm);                                                                 \
  }                                                                                                \
  AUTOKERNEL_ENTRY recording::blas::Status cublasGemmBatchedEx##suffix(                            \
      AUTOKERNEL_FIRST(Int), const void* a, std::int32_t at, Int lda, const void* b,               \
      std::int32_t bt, Int ldb, const void* beta, void* c, std::int32_t ct, Int ldc, Int batch,    \
      std::int32_t compute, std::int32_t algorithm) {                                              \
    AUTOKERNEL_FORWARD(cublasGemmBatchedEx##suffix,                                                \
                       (AUTOKERNEL_TOLD(cublasGemmBatchedEx##suffix), {at, lda}, {bt, ldb}, beta,  \
                        {ct, ldc}, compute, {batch, true}),                                        \
                       a, at, lda, b, bt, ldb, beta, c, ct, ldc, batch, compute, algorithm);       \
  }                                                                                                \
  AUTOKERNEL_ENTRY recording::blas::Status cublasSgemmEx##suffix(                                  \
      AUTOKERNEL_FIRST(Int), const void* a, std::int32_t at, Int lda, const void* b,               \
      std::int32_t bt, Int ldb, const void* beta, void* c, std::int32_t ct, Int ldc) {             \
    AUTOKERNEL_FORWARD(cublasSgemmEx##suffix,                                                      \
                       (AUTOKERNEL_TOLD(cublasSgemmEx##suffix), {at, lda}, {bt, ldb}, beta,        \
                        {ct, ldc}, recording::blas::kCompute32F),                                  \
                       a, at, lda, b, bt, ldb, beta, c, ct, ldc);                                  \
  }

// One product of matrices that all have the type of `of`.
#define AUTOKERNEL_PLAIN(name, of, Int)                                                            \
  AUTOKERNEL_ENTRY recording::blas::Status name(AUTOKERNEL_FIRST(Int), const void* a, Int lda,     \
                                                const void* b, Int ldb, const void* beta, void* c, \
                                                Int ldc) {                                         \
    AUTOKERNEL_FORWARD(name,                                                                       \
                       (AUTOKERNEL_TOLD(name), {(of).type, lda}, {(of).type, ldb}, beta,           \
                        {(of).type, ldc}, (of).compute_type),                                      \
                       a, lda, b, ldb, beta, c, ldc);                                              \
  }

// Several, a fixed stride apart.
#define AUTOKERNEL_STRIDED(name, of, Int)                                                        \
  AUTOKERNEL_ENTRY recording::blas::Status name(                                                 \
      AUTOKERNEL_FIRST(Int), const void* a, Int lda, long long sa, const void* b, Int ldb,       \
      long long sb, const void* beta, void* c, Int ldc, long long sc, Int batch) {               \
    AUTOKERNEL_FORWARD(name,                                                                     \
                       (AUTOKERNEL_TOLD(name), {(of).type, lda, sa}, {(of).type, ldb, sb}, beta, \
                        {(of).type, ldc, sc}, (of).compute_type, {batch, false}),                \
                       a, lda, sa, b, ldb, sb, beta, c, ldc, sc, batch);                         \
  }

// Several, each at an address of its own.
#define AUTOKERNEL_BATCHED(name, of, Int)                                                          \
  AUTOKERNEL_ENTRY recording::blas::Status name(AUTOKERNEL_FIRST(Int), const void* a, Int lda,     \
                                                const void* b, Int ldb, const void* beta, void* c, \
                                                Int ldc, Int batch) {                              \
    AUTOKERNEL_FORWARD(name,                                                                       \
                       (AUTOKERNEL_TOLD(name), {(of).type, lda}, {(of).type, ldb}, beta,           \
                        {(of).type, ldc}, (of).compute_type, {batch, true}),                       \
                       a, lda, b, ldb, beta, c, ldc, batch);                                       \
  }

// _v2 is what the names without it mean in cublas_v2.h; only these have an older namesake.
#define AUTOKERNEL_OF_PRECISION(letter, version, of)                          \
  AUTOKERNEL_PLAIN(cublas##letter##gemm##version, of, std::int32_t)           \
  AUTOKERNEL_PLAIN(cublas##letter##gemm##version##_64, of, std::int64_t)      \
  AUTOKERNEL_STRIDED(cublas##letter##gemmStridedBatched, of, std::int32_t)    \
  AUTOKERNEL_STRIDED(cublas##letter##gemmStridedBatched_64, of, std::int64_t) \
  AUTOKERNEL_BATCHED(cublas##letter##gemmBatched, of, std::int32_t)           \
  AUTOKERNEL_BATCHED(cublas##letter##gemmBatched_64, of, std::int64_t)

AUTOKERNEL_TYPED(, std::int32_t)
AUTOKERNEL_TYPED(_64, std::int64_t)
AUTOKERNEL_OF_PRECISION(S, _v2, recording::kS)
AUTOKERNEL_OF_PRECISION(D, _v2, recording::kD)
AUTOKERNEL_OF_PRECISION(C, _v2, recording::kC)
AUTOKERNEL_OF_PRECISION(Z, _v2, recording::kZ)
AUTOKERNEL_OF_PRECISION(H, , recording::kH)
