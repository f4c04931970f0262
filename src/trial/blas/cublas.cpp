#include "trial/blas/cublas.h"

#include <dlfcn.h>

#include <filesystem>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/base/owned.h"
#include "autokernel/compile/cuda_libraries.h"
#include "trial/blas/cublas_api.h"
#include "trial/blas/cublas_arguments.h"

namespace autokernel::trial {

// What is called of it, found by name, and its handle.
struct Cublas::Calls {
  cublas::Create* create = nullptr;
  cublas::Destroy* destroy = nullptr;
  cublas::GetVersion* get_version = nullptr;
  cublas::SetStream* set_stream = nullptr;
  cublas::SetMathMode* set_math_mode = nullptr;
  cublas::GemmEx* gemm = nullptr;
  cublas::GetStatusString* text = nullptr;
  Owned<void*> library;
  Owned<cublas::Handle> handle;

  void check(cublas::Status status, const char* call, const std::string& attempted) const {
    if (status == cublas::kSuccess) return;
    const char* words = text != nullptr ? text(status) : nullptr;
    throw Error(Stop::environment,
                "cannot " + attempted + ": " +
                    (words != nullptr ? words : "error " + std::to_string(status)) + " (" +
                    std::to_string(status) + ") [" + call + "]");
  }
};

namespace {

void reserve(const driver::Device& device, driver::Buffer& buffer, std::size_t bytes) {
  if (buffer.bytes() < bytes) buffer = device.allocate(bytes);
}

template <typename Function>
void find(void* library, Function& function, const char* name, const std::filesystem::path& place) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) {
    throw Error(Stop::environment, "cannot use " + place.string() + ": it has no " + name +
                                       "; install cuBLAS of CUDA 12.4 or later [dlsym]");
  }
}

}  // namespace

Cublas::Cublas(const driver::Device& device)
    : device_(&device), calls_(std::make_unique<Calls>()) {}
Cublas::~Cublas() = default;

void Cublas::load() {
  for (const std::filesystem::path& place : compile::cublas_candidates()) {
    if (dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) != nullptr) return;
  }
}

std::unique_ptr<Cublas> Cublas::open(const driver::Device& device) {
  std::unique_ptr<Cublas> cublas(new Cublas(device));
  Calls& calls = *cublas->calls_;
  std::string looked;
  for (const std::filesystem::path& place : compile::cublas_candidates()) {
    void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == nullptr) {
      looked += (looked.empty() ? " " : ", ") + place.string();
      continue;
    }
    calls.library = Owned<void*>(handle, [](void* library) { dlclose(library); });
    find(handle, calls.create, "cublasCreate_v2", place);
    find(handle, calls.destroy, "cublasDestroy_v2", place);
    find(handle, calls.get_version, "cublasGetVersion_v2", place);
    find(handle, calls.set_stream, "cublasSetStream_v2", place);
    find(handle, calls.set_math_mode, "cublasSetMathMode", place);
    find(handle, calls.gemm, "cublasGemmEx", place);
    find(handle, calls.text, "cublasGetStatusString", place);
    break;
  }
  if (calls.library.get() == nullptr) {
    throw Error(Stop::environment,
                "cannot load cuBLAS, which the result is compared with; install it (pip install "
                "nvidia-cublas, or the "
                "CUDA toolkit) or set CUDA_HOME; tried:" +
                    looked + " [dlopen]");
  }
  cublas::Handle handle = nullptr;
  calls.check(calls.create(&handle), "cublasCreate", "start cuBLAS on " + device.info().name);
  calls.handle =
      Owned<cublas::Handle>(handle, [destroy = calls.destroy](cublas::Handle h) { destroy(h); });
  return cublas;
}

std::string Cublas::version() const {
  int version = 0;
  calls_->check(calls_->get_version(calls_->handle.get(), &version), "cublasGetVersion",
                "ask cuBLAS for its version");
  constexpr int kMajor = 10000;
  constexpr int kMinor = 100;
  return "cuBLAS " + std::to_string(version / kMajor) + "." +
         std::to_string(version % kMajor / kMinor) + "." + std::to_string(version % kMinor);
}

void Cublas::queue(const Product& product, Operand left, Operand right, Operand output, Sums sums,
                   const driver::Stream& stream) const {
  const Calls& calls = *calls_;
  const cublas::Math mode =
      sums == Sums::any ? cublas::kDefaultMath : cublas::kNoReducedPrecisionSums;
  calls.check(calls.set_math_mode(calls.handle.get(), mode), "cublasSetMathMode",
              "say how precise cuBLAS's sums must be");
  calls.check(calls.set_stream(calls.handle.get(), stream.get()), "cublasSetStream",
              "give cuBLAS a stream");
  const float one = 1;
  const float zero = 0;
  // cuBLAS is column-major, where a row-major matrix is its transpose: C^T = B^T A^T.
  const int rows = library_int(product.rows);
  const int columns = library_int(product.columns);
  const int depth = library_int(product.depth);
  void* const a = cublas::pointer(left.address);
  void* const b = cublas::pointer(right.address);
  void* const c = cublas::pointer(output.address);
  calls.check(
      calls.gemm(calls.handle.get(), cublas::kNotTransposed, cublas::kNotTransposed, columns, rows,
                 depth, &one, b, cublas::type_of(right.dtype), columns, a,
                 cublas::type_of(left.dtype), depth, &zero, c, cublas::type_of(output.dtype),
                 columns, cublas::kComputeInF32, cublas::kDefaultAlgorithm),
      "cublasGemmEx",
      "multiply " + std::to_string(rows) + " x " + std::to_string(depth) + " by " +
          std::to_string(depth) + " x " + std::to_string(columns) + " with cuBLAS");
}

void Cublas::multiply(const Product& product, cases::DType dtype, std::span<const std::byte> left,
                      std::span<const std::byte> right, std::span<float> result) {
  reserve(*device_, left_, left.size());
  reserve(*device_, right_, right.size());
  reserve(*device_, result_, result.size_bytes());
  if (!staging_) staging_.emplace(*device_);
  staging_->copy_in(left_.address(), {left});
  staging_->copy_in(right_.address(), {right});
  const driver::Stream stream = device_->make_stream();
  queue(product, {left_.address(), dtype}, {right_.address(), dtype},
        {result_.address(), cases::DType::f32}, Sums::fp32, stream);
  if (const auto fault = stream.wait()) {
    throw Error(Stop::environment, "cannot multiply with cuBLAS: " + fault->text + " (" +
                                       fault->name + ", " + std::to_string(fault->code) +
                                       ") [cublasGemmEx]");
  }
  staging_->copy_out(result_.address(), std::as_writable_bytes(result));
}

}  // namespace autokernel::trial
