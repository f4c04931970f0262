// What `case new --lab` writes: a server of a language model that an agent makes faster.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/case/new_files.h"

namespace autokernel::cli {

// What the template has in the place of {{SLUG}}, {{MODEL}}, {{MODEL_PATH}} and {{HARDWARE}}.
struct LabCase {
  std::string slug;
  std::string model;
  std::filesystem::path model_path;  // absolute
  std::string hardware;
};

// The files of the case by their paths below `folder`. Throws Error(usage) for words that would
// have another meaning in TOML or a shell, and Error(environment) where the template did not come
// with the program.
[[nodiscard]] std::vector<NewFile> lab_files(const LabCase& lab,
                                             const std::filesystem::path& folder);

}  // namespace autokernel::cli
