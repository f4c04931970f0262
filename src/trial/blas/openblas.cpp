#include "trial/blas/openblas.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "autokernel/base/error.h"
#include "autokernel/base/parallel.h"
#include "trial/inputs/conversion.h"

namespace autokernel::trial {
namespace {

constexpr int kRowMajor = 101;
constexpr int kNotTransposed = 111;

constexpr std::array kNames = {"libopenblas.so.0", "libopenblas.so"};

void upcast(cases::DType dtype, std::span<const std::byte> from, std::vector<float>& to) {
  const std::size_t element = cases::size_of(dtype);
  to.resize(from.size() / element);
  in_parallel(to.size(), 1, [&](std::size_t first, std::size_t end) {
    to_floats(dtype, from.subspan(first * element, (end - first) * element),
              std::span(to).subspan(first, end - first));
  });
}

}  // namespace

void OpenBlas::let_idle_threads_sleep() {
  // They spin for 2^26 cycles otherwise, on the cores a kernel is timed on. 2^10 is less than a
  // microsecond.
  setenv("OPENBLAS_THREAD_TIMEOUT", "10", 1);
}

std::unique_ptr<OpenBlas> OpenBlas::open() {
  std::unique_ptr<OpenBlas> blas(new OpenBlas);
  for (const char* name : kNames) {
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
      blas->library_ = Owned<void*>(handle, [](void* library) { dlclose(library); });
      blas->sgemm_ = reinterpret_cast<Sgemm>(dlsym(handle, "cblas_sgemm"));
      blas->config_ = reinterpret_cast<Config>(dlsym(handle, "openblas_get_config"));
      blas->core_ = reinterpret_cast<Config>(dlsym(handle, "openblas_get_corename"));
      blas->threads_ = reinterpret_cast<Threads>(dlsym(handle, "openblas_get_num_threads"));
      break;
    }
  }
  if (blas->sgemm_ == nullptr || blas->config_ == nullptr) {
    throw Error(Stop::environment,
                "cannot load OpenBLAS, which matrix products are compared with on the emulated "
                "device; install it "
                "(Debian: apt-get install libopenblas0-pthread) [dlopen libopenblas.so.0]");
  }
  return blas;
}

std::string OpenBlas::version() const {
  const std::string config = config_();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  const std::size_t end = config.find(' ', config.find(' ') + 1);
  std::string version = config.substr(0, end);
  // Kernels for another processor, or fewer threads, make it another library.
  if (core_ != nullptr && threads_ != nullptr) {
    const int threads = threads_();
    version += fmt::format(" ({}, {} thread{})", core_(), threads, threads == 1 ? "" : "s");
  }
  return version;
}

void OpenBlas::multiply(const Product& product, cases::DType dtype, std::span<const std::byte> left,
                        std::span<const std::byte> right, std::span<float> result) {
  upcast(dtype, left, left_);
  upcast(dtype, right, right_);
  multiply_floats(product, left_, right_, result);
}

void OpenBlas::multiply_floats(const Product& product, std::span<const float> left,
                               std::span<const float> right, std::span<float> result) const {
  const int rows = library_int(product.rows);
  const int columns = library_int(product.columns);
  const int depth = library_int(product.depth);
  sgemm_(kRowMajor, kNotTransposed, kNotTransposed, rows, columns, depth, 1.0F, left.data(), depth,
         right.data(), columns, 0.0F, result.data(), columns);
}

}  // namespace autokernel::trial
