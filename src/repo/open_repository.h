// A repository that is open: libgit2's handle of it, and where it lies.
#pragma once

#include <filesystem>

#include "autokernel/repo/repository.h"
#include "repo/handles.h"

namespace autokernel::repo {

struct OpenRepository {
  Owned<int> library;  // libgit2 is started as long as this lives; before all it is needed for
  Owned<git_repository*> handle;
  std::filesystem::path root;           // of the worktree, without links in it
  std::filesystem::path git_folder;     // the head and the index of this worktree
  std::filesystem::path common_folder;  // objects and references, of all its worktrees

  [[nodiscard]] git_repository* git() const { return handle.get(); }
};

struct Repository::Opened : OpenRepository {};

// Starts libgit2, which counts its users, and has it sync what it writes: an experiment that was
// reported as kept must outlive a loss of power.
[[nodiscard]] Owned<int> start_library();

}  // namespace autokernel::repo
