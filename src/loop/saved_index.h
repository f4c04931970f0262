// What the user has staged is the user's, whatever an agent stages in its turn. The index from
// before the turn is kept twice: in the memory of the process that drives the turn, where no agent
// reaches it, and in a file in git's own folder, the journal of the turn's index, for the case that
// the drive is killed. A reference keeps the blobs that nothing but this index names.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/repo/repository.h"
#include "loop/folders.h"

namespace autokernel::loop {

struct SavedIndex {
  std::string head;  // the commit that it stood on
  repo::IndexImage image;
};

// To be called before a turn. It is on the disk when this returns. The blobs named besides are
// kept from git's clean-up as well. None where there is no index yet. Throws Error(environment).
[[nodiscard]] std::optional<SavedIndex> keep_index(const repo::Repository& repository,
                                                   std::vector<std::string> besides);
[[nodiscard]] bool is_index_kept(const repo::Repository& repository);
// Makes the file again where the agent has removed or changed it: the drive may still be killed.
void keep_on_disk(const repo::Repository& repository, const SavedIndex& kept);
// Puts the index back, as often as it is called; the head must stand where it did.
void restore_index(const repo::Repository& repository, const SavedIndex& kept);
void forget_saved_index(const repo::Repository& repository);

// Where blobs that are staged are gone from git's store: a sentence with what to do. One whose
// bytes the worktree still has is stored again, without a word. Empty: nothing is lost.
[[nodiscard]] std::string lost_of_index(const repo::Repository& repository);

// Of a turn that never came to its end: puts the index back and forgets it, and says so in a
// sentence, which names where the index is that it has replaced. Where the head has moved since,
// the index stays, and the kept one goes aside; where the file is gone, it says what that means.
// Empty: none was kept, or nothing had changed. To be called by the holder of the lock.
[[nodiscard]] std::string recover_index(const repo::Repository& repository, const Folders& folders);

}  // namespace autokernel::loop
