// What `autokernel init` will write into a repository, worked out before anything is written.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/repo/repository.h"
#include "cli/case/new_files.h"

namespace autokernel::cli {

struct InitOptions {
  std::optional<std::filesystem::path> from;  // a case to copy; none: the template
  std::optional<std::string> case_name;       // none: that of the case copied, or "mine"
};

struct InitPlan {
  std::string folder;             // of the case, from the root: "kernels"
  std::string kernel_name;        // of its main file
  std::vector<NewFile> files;     // to be written
  std::vector<std::string> kept;  // that are there already, from the root
  std::string remark;             // what is to be said of one that is kept; empty: nothing
};

// Throws Error(usage) where something else is in the place of a file, or would keep git from taking
// it.
[[nodiscard]] InitPlan plan_of_init(const repo::Repository& repository, const InitOptions& options);

}  // namespace autokernel::cli
