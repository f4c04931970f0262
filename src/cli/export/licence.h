// The licence of whose repository a kernel is in.
#pragma once

#include <filesystem>
#include <string>

#include "autokernel/bridge/exported_kernel.h"

namespace autokernel::cli {

// That of the case's folder, or of the nearest folder above it, up to the root of the repository.
// `id` is what the user says it is; empty: what its text says.
[[nodiscard]] bridge::Licence licence_for(const std::filesystem::path& folder,
                                          const std::string& id);

}  // namespace autokernel::cli
