#include "driver/products.h"

#include <cuda.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/matching.h"
#include "driver/replacement.h"
#include "driver/replacing.h"
#include "driver/tally.h"

using namespace autokernel::inject;

#define AUTOKERNEL_EXPORTED extern "C" __attribute__((visibility("default")))

AUTOKERNEL_EXPORTED std::uint32_t autokernel_find_product(const char* product, std::size_t bytes) {
  const std::vector<Replacement>& all = replacements().all;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].product.empty() && all[i].product == std::string_view(product, bytes)) {
      return static_cast<std::uint32_t>(i + 1);
    }
  }
  return 0;
}

AUTOKERNEL_EXPORTED std::int32_t autokernel_replace_product(std::uint32_t replacement,
                                                            const void* left, const void* right,
                                                            void* result, void* stream,
                                                            std::int32_t (*original)(void*),
                                                            void* of_original) {
  const std::size_t number = replacement - 1;
  const auto address = [](const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); };
  // cuBLAS's matrices are column-major: the case's, row-major, are their transposes, so that the
  // factors change places.
  GivenOperands operands{.tensors = {address(right), address(left), address(result)},
                         .parameters = {}};
  if (const auto why = misplaced(replacements().all[number], operands.tensors)) {
    count(number, *why);
    return original(of_original);
  }
  std::int32_t status = 0;
  const CUresult done = replace(number, operands, static_cast<CUstream>(stream), [&] {
    status = original(of_original);
    return status == 0 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
  });
  constexpr std::int32_t kExecutionFailed = 13;  // CUBLAS_STATUS_EXECUTION_FAILED
  return done == CUDA_SUCCESS || status != 0 ? status : kExecutionFailed;
}
