// Folders nested more deeply than libgit2 follows, which cost whoever makes them nothing.
#pragma once

#include <optional>
#include <string>

#include "repo/open_repository.h"

namespace autokernel::repo {

// A folder of the worktree, from the root and with '/' behind it, that holds folders nested so
// deeply, and the highest one of which git knows no file; none where there is no such nest.
[[nodiscard]] std::optional<std::string> folder_with_deep_nest(const OpenRepository& open);

}  // namespace autokernel::repo
