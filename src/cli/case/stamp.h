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

// The files of a case called `name` in the folder `target` from the root that they will be written
// to, case.toml last, so that a folder with a case.toml is a whole case. `from`: a case's folder,
// whose case.toml, references and editable files are taken as they are but for the name; none: the
// template. Throws Error(usage) where that is no case, or needs headers that lie beside it.
[[nodiscard]] std::vector<NewFile> stamped(const std::filesystem::path& root,
                                           const std::filesystem::path& target,
                                           const std::string& name,
                                           const std::optional<std::filesystem::path>& from);

}  // namespace autokernel::cli
