// Which cases were made of which kernels of a program: the file that `extract` keeps beside them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/programs/product.h"
#include "autokernel/programs/profile.h"
#include "autokernel/programs/ranking.h"

namespace autokernel::programs {

struct ExtractedCase {
  std::string folder;  // of the case, from the folder of the file
  std::string kernel;  // as the driver has it
  Extent grid, block;
  std::int64_t dynamic_shared = kUnknown;  // bytes
  std::string operation;                   // operation_text(); empty: not known
  std::string program;                     // that it was extracted from
  double bytes = 0;  // that one launch moves at least, by the case's [cost]; 0: not known
  // By which its code is known again (CapturedLaunch::digest); empty: it is no captured kernel.
  std::string image;
  std::optional<Product> product;  // of a case of the operation gemm

  // Whether it is a case of that row of a profile.
  [[nodiscard]] bool is_of(const RankedKernel& row) const;
};

// Those in the folder; none where it has no such file. Throws Error(usage) where it is damaged.
[[nodiscard]] std::vector<ExtractedCase> read_extracted(const std::filesystem::path& folder);
// Adds one, in the place of an earlier one of the same folder. Throws Error(environment).
void add_extracted(const std::filesystem::path& folder, const ExtractedCase& extracted);

}  // namespace autokernel::programs
