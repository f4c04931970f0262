// CUTLASS: NVIDIA's templates of matrix products. Its device-level GEMM is built by nvcc on this
// machine, once for each of several tiles: which one is the fastest depends on the size.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "autokernel/base/scratch.h"
#include "autokernel/compile/host_library.h"
#include "autokernel/driver/device.h"
#include "trial/blas/library.h"

namespace autokernel::trial {

// The program (cutlass_gemm.cu), behind lines that define which tile.
[[nodiscard]] const char* cutlass_gemm_text();

struct CutlassTile {
  std::string configuration;  // "128x256x64, cluster 2x1, cooperative"
  std::string defines;        // lines for before the program's text
};
// Those for products of matrices of that type on that architecture ("sm_90"): of tensor cores by
// TMA and wgmma for sm_90, by mma for others from sm_80 on; of fp32 without tensor cores. They are
// from CUTLASS's own examples and profiles. None: CUTLASS has none that computes with the same
// precision there.
[[nodiscard]] std::vector<CutlassTile> cutlass_tiles(const std::string& architecture,
                                                     cases::DType element, cases::DType output);

// Row-major products of one shape.
class Cutlass {
 public:
  // Builds all tiles, or takes what was built before; `get_on` is called often meanwhile. Those
  // that cannot be built, or do not fit the shape, are left out. Throws Error(environment) where
  // none is left, and where CUTLASS or nvcc are not there. The device's context must be current;
  // `device` must live longer.
  struct Wanted {
    Product product;
    cases::DType element = cases::DType::bf16;  // of both matrices
    cases::DType output = cases::DType::bf16;
    std::string architecture;  // "sm_90"
    compile::Caching caching = compile::Caching::yes;
  };
  Cutlass(const driver::Device& device, const Wanted& wanted, const std::function<void()>& get_on);

  [[nodiscard]] const std::string& version() const { return version_; }  // "CUTLASS 4.2.0"
  [[nodiscard]] std::size_t tiles() const { return tiles_.size(); }
  [[nodiscard]] const std::string& configuration(std::size_t tile) const {
    return tiles_.at(tile).configuration;
  }
  // Queues the product by one of them; not waited for. Throws Error(environment) where it says that
  // it cannot.
  struct Matrices {
    driver::Address left = 0;
    driver::Address right = 0;
    driver::Address output = 0;
  };
  void queue(std::size_t tile, const Matrices& matrices, const driver::Stream& stream) const;

 private:
  using Launch = const char*(int, int, int, const void*, const void*, void*, void*, CUstream_st*);
  struct Ready {
    std::string configuration;
    Launch* launch = nullptr;
    driver::Buffer workspace;
  };
  void add(const driver::Device& device, const CutlassTile& tile,
           const std::filesystem::path& library);

  ScratchDirectory folder_;
  Product product_;
  std::string version_;
  std::vector<Ready> tiles_;
};

}  // namespace autokernel::trial
