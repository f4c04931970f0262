#include "trial/blas/cublaslt.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/owned.h"
#include "autokernel/compile/cuda_libraries.h"
#include "trial/blas/cublas_arguments.h"
#include "trial/blas/cublaslt_api.h"

namespace autokernel::trial {

namespace lt = cublaslt;

// What is called of it, found by name, and what it made.
struct CublasLt::Calls {
  Owned<void*> library;
  lt::GetVersion* get_version = nullptr;
  lt::Matmul* matmul = nullptr;
  Owned<lt::Handle> handle;
  Owned<lt::Operation> operation;
  Owned<lt::Layout> left;
  Owned<lt::Layout> right;
  Owned<lt::Layout> output;
  driver::Address left_address = 0;
  driver::Address right_address = 0;
  driver::Address output_address = 0;
  driver::Buffer workspace;
  std::vector<lt::Heuristic> algorithms;
};

namespace {

void check(lt::Status status, const char* call) {
  if (status == cublas::kSuccess) return;
  throw Error(Stop::environment,
              fmt::format("cannot time the product by cuBLASLt: error {} [{}]", status, call));
}

template <typename Function>
[[nodiscard]] Function* found(void* library, const char* name) {
  auto* const function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function != nullptr) return function;
  throw Error(Stop::environment,
              fmt::format("cannot use cuBLASLt: it has no {}; install that of CUDA 12.4 or later "
                          "[dlsym]",
                          name));
}

// What `create` makes, given back by `destroy`.
template <typename Thing, typename Create>
[[nodiscard]] Owned<Thing> made(const char* call, lt::Status (*destroy)(Thing),
                                const Create& create) {
  Thing thing = nullptr;
  check(create(&thing), call);
  return {thing, [destroy](Thing owned) { destroy(owned); }};
}

[[nodiscard]] Owned<void*> open_library() {
  for (const std::filesystem::path& place : compile::cublaslt_candidates()) {
    if (void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
      return {handle, [](void* library) { dlclose(library); }};
  }
  throw Error(Stop::environment,
              "cannot load cuBLASLt (libcublasLt.so), which --baselines measures; it comes with "
              "cuBLAS: pip install nvidia-cublas, or set CUDA_HOME [dlopen]");
}

}  // namespace

CublasLt::CublasLt() : calls_(std::make_unique<Calls>()) {}
CublasLt::~CublasLt() = default;

std::unique_ptr<CublasLt> CublasLt::open(const driver::Device& device, const Product& product,
                                         Cublas::Operand left, Cublas::Operand right,
                                         Cublas::Operand output, Wanted wanted) {
  std::unique_ptr<CublasLt> opened(new CublasLt());
  Calls& calls = *opened->calls_;
  calls.library = open_library();
  void* const library = calls.library.get();
  calls.get_version = found<lt::GetVersion>(library, "cublasLtGetVersion");
  calls.matmul = found<lt::Matmul>(library, "cublasLtMatmul");
  calls.handle = made<lt::Handle>("cublasLtCreate", found<lt::Destroy>(library, "cublasLtDestroy"),
                                  found<lt::Create>(library, "cublasLtCreate"));
  auto* const make_operation = found<lt::OperationCreate>(library, "cublasLtMatmulDescCreate");
  calls.operation = made<lt::Operation>(
      "cublasLtMatmulDescCreate", found<lt::OperationDestroy>(library, "cublasLtMatmulDescDestroy"),
      [&](lt::Operation* made) {
        return make_operation(made, cublas::kComputeInF32, cublas::kF32);
      });
  auto* const make_layout = found<lt::LayoutCreate>(library, "cublasLtMatrixLayoutCreate");
  auto* const end_layout = found<lt::LayoutDestroy>(library, "cublasLtMatrixLayoutDestroy");
  // Column-major, where a row-major matrix of so many rows and columns is its transpose.
  const auto layout = [&](Cublas::Operand operand, std::int64_t rows, std::int64_t columns) {
    return made<lt::Layout>("cublasLtMatrixLayoutCreate", end_layout, [&](lt::Layout* made) {
      return make_layout(made, cublas::type_of(operand.dtype), static_cast<std::uint64_t>(columns),
                         static_cast<std::uint64_t>(rows), columns);
    });
  };
  calls.left = layout(left, product.rows, product.depth);
  calls.right = layout(right, product.depth, product.columns);
  calls.output = layout(output, product.rows, product.columns);
  calls.left_address = left.address;
  calls.right_address = right.address;
  calls.output_address = output.address;
  if (wanted.workspace_bytes > 0) calls.workspace = device.allocate(wanted.workspace_bytes);

  const auto preference =
      made<lt::Preference>("cublasLtMatmulPreferenceCreate",
                           found<lt::PreferenceDestroy>(library, "cublasLtMatmulPreferenceDestroy"),
                           found<lt::PreferenceCreate>(library, "cublasLtMatmulPreferenceCreate"));
  check(found<lt::PreferenceSet>(library, "cublasLtMatmulPreferenceSetAttribute")(
            preference.get(), lt::kMostWorkspaceBytes, &wanted.workspace_bytes,
            sizeof(wanted.workspace_bytes)),
        "cublasLtMatmulPreferenceSetAttribute");
  calls.algorithms.resize(static_cast<std::size_t>(wanted.most));
  int count = 0;
  // C^T = B^T A^T.
  check(found<lt::GetHeuristics>(library, "cublasLtMatmulAlgoGetHeuristic")(
            calls.handle.get(), calls.operation.get(), calls.right.get(), calls.left.get(),
            calls.output.get(), calls.output.get(), preference.get(), wanted.most,
            calls.algorithms.data(), &count),
        "cublasLtMatmulAlgoGetHeuristic");
  calls.algorithms.resize(static_cast<std::size_t>(std::max(0, count)));
  std::erase_if(calls.algorithms,
                [](const lt::Heuristic& each) { return each.state != cublas::kSuccess; });
  if (calls.algorithms.empty()) {
    throw Error(Stop::environment, "cuBLASLt knows no algorithm for this product");
  }
  return opened;
}

std::string CublasLt::version() const {
  const std::size_t version = calls_->get_version();
  constexpr std::size_t kMajor = 10000;
  constexpr std::size_t kMinor = 100;
  return fmt::format("cuBLASLt {}.{}.{}", version / kMajor, version % kMajor / kMinor,
                     version % kMinor);
}

std::size_t CublasLt::algorithms() const { return calls_->algorithms.size(); }

void CublasLt::queue(std::size_t algorithm, const driver::Stream& stream) const {
  const Calls& calls = *calls_;
  const float one = 1;
  const float zero = 0;
  void* const output = cublas::pointer(calls.output_address);
  check(
      calls.matmul(
          calls.handle.get(), calls.operation.get(), &one, cublas::pointer(calls.right_address),
          calls.right.get(), cublas::pointer(calls.left_address), calls.left.get(), &zero, output,
          calls.output.get(), output, calls.output.get(), &calls.algorithms.at(algorithm).algorithm,
          cublas::pointer(calls.workspace.address()), calls.workspace.bytes(), stream.get()),
      "cublasLtMatmul");
}

}  // namespace autokernel::trial
