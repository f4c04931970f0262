// cublasLtMatmul, in front of cuBLASLt's own (LD_PRELOAD).
#include <cstddef>
#include <cstdint>

#include "blas.h"
#include "entry.h"
#include "forward.h"
#include "product_call.h"
#include "replaced_product.h"

namespace recording {
namespace {

// The functions of the library that the call is forwarded to, which alone can read its objects.
struct Library {
  blas::GetAttribute matmul;
  blas::GetAttribute layout;
};

constinit Forward matmul_attribute{"cublasLtMatmulDescGetAttribute"};
constinit Forward layout_attribute{"cublasLtMatrixLayoutGetAttribute"};

// What is not set, or not known to this version, stays as it is by default.
template <typename Value>
Value attribute_of(blas::GetAttribute get, const void* object, std::int32_t attribute,
                   Value by_default) {
  Value value = by_default;
  std::size_t written = 0;
  if (object == nullptr ||
      get(object, attribute, &value, sizeof value, &written) != blas::kSuccess) {
    return by_default;
  }
  return value;
}

Matrix matrix_of(const Library& library, const void* layout) {
  Matrix matrix;
  matrix.type = static_cast<std::int32_t>(
      attribute_of<std::uint32_t>(library.layout, layout, blas::kType, 0));
  matrix.leading_dimension =
      attribute_of<std::int64_t>(library.layout, layout, blas::kLeadingDimension, 0);
  matrix.batch_stride = attribute_of<std::int64_t>(library.layout, layout, blas::kBatchStride, 0);
  matrix.order =
      attribute_of<std::int32_t>(library.layout, layout, blas::kOrder, blas::kColumnMajor);
  return matrix;
}

double alpha_of(const void* alpha, std::int32_t mode, std::int32_t type) {
  return factor_at(mode == blas::kHost ? alpha : nullptr, type);
}

double beta_of(const void* beta, std::int32_t mode, std::int32_t type) {
  if (mode == blas::kDeviceVectorBetaZero) return 0;
  const bool is_on_host = mode == blas::kHost || mode == blas::kDeviceVectorBetaHost;
  return factor_at(is_on_host ? beta : nullptr, type);
}

Product product_of(const Library& library, const void* operation, const void* alpha,
                   const void* a_layout, const void* b_layout, const void* beta,
                   const void* c_layout, const void* d_layout) {
  const auto of_operation = [&](std::int32_t attribute, std::int32_t by_default) {
    return attribute_of<std::int32_t>(library.matmul, operation, attribute, by_default);
  };
  const auto extent = [&](const void* layout, std::int32_t attribute) {
    return static_cast<std::int64_t>(
        attribute_of<std::uint64_t>(library.layout, layout, attribute, 0));
  };
  Product product;
  product.call = "cublasLtMatmul";
  product.transpose_a = of_operation(blas::kTransA, blas::kPlain);
  product.transpose_b = of_operation(blas::kTransB, blas::kPlain);
  product.m = extent(d_layout, blas::kRows);
  product.n = extent(d_layout, blas::kColumns);
  product.k = extent(a_layout, product.transpose_a == blas::kPlain ? blas::kColumns : blas::kRows);
  product.batch = attribute_of<std::int32_t>(library.layout, d_layout, blas::kBatchCount, 1);
  product.pointer_array =
      attribute_of<std::uint32_t>(library.layout, d_layout, blas::kBatchMode, 0) != 0;
  product.a = matrix_of(library, a_layout);
  product.b = matrix_of(library, b_layout);
  product.c = matrix_of(library, c_layout);
  product.d = matrix_of(library, d_layout);
  product.compute_type = of_operation(blas::kComputeType, blas::kCompute32F);
  product.scale_type = of_operation(blas::kScaleType, blas::kR32F);
  product.epilogue = attribute_of<std::uint32_t>(library.matmul, operation, blas::kEpilogue, 1);
  const std::int32_t mode = of_operation(blas::kPointerMode, blas::kHost);
  product.alpha = alpha_of(alpha, mode, product.scale_type);
  product.beta = beta_of(beta, mode, product.scale_type);
  return product;
}

}  // namespace
}  // namespace recording

using recording::Forward;
using recording::Library;
using recording::ProductCall;

AUTOKERNEL_ENTRY recording::blas::Status cublasLtMatmul(
    void* handle, const void* operation, const void* alpha, const void* a, const void* a_layout,
    const void* b, const void* b_layout, const void* beta, const void* c, const void* c_layout,
    void* d, const void* d_layout, const void* algorithm, void* workspace,
    std::size_t workspace_bytes, void* stream) {
  static constinit Forward forward{"cublasLtMatmul"};
  void* const caller = __builtin_return_address(0);
  const auto next = forward.to<decltype(&cublasLtMatmul)>(caller);
  if (next == nullptr) return recording::blas::kNotInitialized;
  auto original = [&] {
    return next(handle, operation, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d, d_layout,
                algorithm, workspace, workspace_bytes, stream);
  };
  const ProductCall call;
  const bool may_be_replaced = call.is_outermost() && recording::replaces_products();
  if (!call.is_wanted() && !may_be_replaced) return original();
  const Library library{recording::matmul_attribute.to<recording::blas::GetAttribute>(caller),
                        recording::layout_attribute.to<recording::blas::GetAttribute>(caller)};
  if (library.matmul == nullptr || library.layout == nullptr) return original();
  const recording::Product product = recording::product_of(library, operation, alpha, a_layout,
                                                           b_layout, beta, c_layout, d_layout);
  if (call.is_wanted()) call.is_for(product);
  const std::uint32_t replacement = may_be_replaced ? recording::replacement_of(product) : 0;
  return replacement == 0 ? original()
                          : recording::replaced(replacement, {a, b, d, stream}, original);
}
