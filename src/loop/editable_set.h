// The files that are edited in a run: the main one, and those that the case's patterns name. Paths
// are from the root of the worktree.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/cases/editable_files.h"
#include "autokernel/ledger/entry.h"
#include "autokernel/repo/repository.h"

namespace autokernel::loop {

class EditableSet {
 public:
  explicit EditableSet(const ledger::RunStarted& run);

  [[nodiscard]] const std::string& main() const { return main_; }
  // For messages: "kernels/kernel.cu and kernels/include/*.cuh".
  [[nodiscard]] std::string names() const;
  // Whether a regular file of that path is one.
  [[nodiscard]] bool contains(const std::string& path) const;
  // Whether there may be one in that folder, or below it.
  [[nodiscard]] bool may_lie_in(const std::string& folder) const;

  // Repositories of their own that lie where editable files may, which hold none.
  [[nodiscard]] std::vector<std::string> repositories(const std::filesystem::path& root) const;
  // Those that the worktree has; the main one is the first, whether it is there or not.
  [[nodiscard]] std::vector<std::string> in_worktree(const std::filesystem::path& root) const;
  // The same of a commit.
  [[nodiscard]] std::vector<std::string> at(const repo::Repository& repository,
                                            const std::string& commit) const;
  // Those that the worktree or one of the commits has; of a worktree that cannot be looked through,
  // those of the commits.
  [[nodiscard]] std::vector<std::string> anywhere(const repo::Repository& repository,
                                                  const std::vector<std::string>& commits) const;

  // Whether the worktree has the same files as the commit, and in them the same, line ends aside.
  [[nodiscard]] bool matches(const repo::Repository& repository, const std::string& commit) const;
  // What is wrong with them as they lie in the worktree, in a sentence that begins with a file;
  // empty: nothing. They are not read for that.
  [[nodiscard]] std::string fault(const std::filesystem::path& root) const;
  // What the worktree has of them. Throws Error(usage) where one of them cannot be read.
  [[nodiscard]] cases::KernelSource source_in(const std::filesystem::path& root) const;
  // What a commit has of them. Throws Error(repository) where it lacks the main one.
  [[nodiscard]] cases::KernelSource source_at(const repo::Repository& repository,
                                              const std::string& commit) const;

 private:
  std::string main_;
  std::string folder_;  // of the main file: with '/' behind it; empty for the root
  cases::EditableFiles others_;
};

}  // namespace autokernel::loop
