// A case made from another one, or from the template: its files under a new name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/case/new_files.h"

namespace autokernel::cli {

// Throws Error(usage) unless the name is one that a folder, TOML and a shell all take as it is:
// letters, digits, '_', '-' and '.', a letter or digit first, at most 64.
void require_case_name(const std::string& name);

// What a case is made from: a case's folder, or where there is none the template; and the language
// that its kernel is to be in.
inline constexpr const char* kCudaBackend = "cuda";
inline constexpr const char* kTritonBackend = "triton";
struct Stamp {
  std::optional<std::filesystem::path> from;
  std::string backend = kCudaBackend;  // as of the case, or "triton"
};

// The files of a case called `name` in the folder `target` from the root that they will be written
// to, case.toml last, so that a folder with a case.toml is a whole case. Of a case's folder,
// case.toml, references and editable files are taken as they are but for the name, and kernel.py in
// the place of the kernel for Triton. Throws Error(usage) where that is no case, has no kernel.py,
// or needs headers that lie beside it.
[[nodiscard]] std::vector<NewFile> stamped(const std::filesystem::path& root,
                                           const std::filesystem::path& target,
                                           const std::string& name, const Stamp& stamp);

}  // namespace autokernel::cli
