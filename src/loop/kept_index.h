// What the user has staged is the user's, whatever an agent stages in its turn: the index from
// before the turn, in git's own folder, until it is back in its place. That file is the journal of
// the turn's index: whoever finds one puts the index back.
#pragma once

#include <filesystem>
#include <string>

#include "autokernel/repo/repository.h"
#include "loop/folders.h"

namespace autokernel::loop {

// To be called before a turn. It is on the disk when this returns. Throws Error(environment).
void keep_index(const repo::Repository& repository);
[[nodiscard]] bool is_index_kept(const repo::Repository& repository);
// Puts the index back, as often as it is called, until it is forgotten; the head must stand where
// it did. Nothing is done where none is kept.
void restore_index(const repo::Repository& repository);
void forget_kept_index(const repo::Repository& repository);

// Of a turn that never came to its end: puts the index back and forgets it, and says so in a
// sentence, which names where the index is that it has replaced. Where the head has moved since,
// the index stays, and the kept one goes aside. Empty: none was kept, or nothing had changed. To be
// called by the holder of the lock.
[[nodiscard]] std::string recover_index(const repo::Repository& repository, const Folders& folders);

}  // namespace autokernel::loop
