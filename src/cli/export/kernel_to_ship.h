// Gathers what an export is made of: code for each size and capability, examples, the record.
#pragma once

#include <string>
#include <vector>

#include "autokernel/bridge/exported_kernel.h"
#include "cli/export/exported_source.h"

namespace autokernel::cli {

struct ShippingOptions {
  std::string name;          // empty: by the case
  std::string sizes;         // "default,check"; empty: all
  std::string capabilities;  // "9.0a,8.0"; empty: that of the measurement
  std::string licence;       // its SPDX id; empty: by the text of the repository's licence
  std::string author;
  std::string device = "auto";  // which runs a reference that is a kernel
};

// `source` must live longer. Throws Error(usage) for what cannot be exported.
[[nodiscard]] bridge::KernelToShip kernel_to_ship(const ExportedSource& source,
                                                  const ShippingOptions& options);

}  // namespace autokernel::cli
