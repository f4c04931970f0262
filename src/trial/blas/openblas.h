// OpenBLAS: the library on machines without a GPU.
#pragma once

#include <vector>

#include "autokernel/base/owned.h"
#include "trial/blas/library.h"

namespace autokernel::trial {

class OpenBlas : public Library {
 public:
  // Opens it at run time, so that the program starts without its 30 MB and its threads. Throws
  // Error(environment) saying how to install it.
  [[nodiscard]] static std::unique_ptr<OpenBlas> open();

  // Has its idle threads sleep at once. Sets an environment variable: call it before `open` and
  // before there are threads.
  static void let_idle_threads_sleep();

  [[nodiscard]] std::string version() const override;
  void multiply(const Product& product, cases::DType dtype, std::span<const std::byte> left,
                std::span<const std::byte> right, std::span<float> result) override;
  // The product itself, which is what is timed.
  void multiply_floats(const Product& product, std::span<const float> left,
                       std::span<const float> right, std::span<float> result) const;

 private:
  // Of OpenBLAS, with the 32-bit integers of Debian's build: cblas_sgemm, openblas_get_config or
  // openblas_get_corename, and openblas_get_num_threads.
  using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                         float, float*, int);
  using Config = char* (*)();
  using Threads = int (*)();
  OpenBlas() = default;

  Owned<void*> library_;
  Sgemm sgemm_ = nullptr;
  Config config_ = nullptr;
  Config core_ = nullptr;  // null, and so is the next, in a build for one processor or thread
  Threads threads_ = nullptr;
  std::vector<float> left_;  // upcast inputs, kept for their memory
  std::vector<float> right_;
};

}  // namespace autokernel::trial
