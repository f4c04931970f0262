// The index of a worktree: always as it is on the disk now, since people and agents write it too.
#pragma once

#include "repo/open_repository.h"

namespace autokernel::repo {

[[nodiscard]] Owned<git_index*> index_of(const OpenRepository& open);

// Has libgit2 read the index again where somebody has changed it.
void refresh_index(const OpenRepository& open);

}  // namespace autokernel::repo
