// cuBLASLt: the library below cuBLAS, whose heuristics propose several algorithms for a product.
// Whoever measures them all knows a faster one than cublasGemmEx() chooses, now and then.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "autokernel/driver/device.h"
#include "trial/blas/cublas.h"

namespace autokernel::trial {

// Products of one shape, row-major, with sums in fp32.
class CublasLt {
 public:
  // Opens it at run time on the device's context, and asks for up to `most` algorithms that need at
  // most so much scratch memory. Throws Error(environment) where there is no such library, or none.
  // `device` must live longer.
  struct Wanted {
    int most = 8;
    std::size_t workspace_bytes = 0;
  };
  [[nodiscard]] static std::unique_ptr<CublasLt> open(const driver::Device& device,
                                                      const Product& product, Cublas::Operand left,
                                                      Cublas::Operand right, Cublas::Operand output,
                                                      Wanted wanted);
  ~CublasLt();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;

  [[nodiscard]] std::string version() const;  // "cuBLASLt 13.1.0"
  // In the order of the library's own estimate: 0 is what it takes itself.
  [[nodiscard]] std::size_t algorithms() const;
  // Queues the product by one of them; not waited for.
  void queue(std::size_t algorithm, const driver::Stream& stream) const;

 private:
  struct Calls;
  CublasLt();

  std::unique_ptr<Calls> calls_;
};

}  // namespace autokernel::trial
