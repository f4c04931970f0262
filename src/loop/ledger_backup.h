// A second name for the ledger, within git's own folder: `git clean -fdx`, as agents run it,
// removes .autokernel, and everything that was ever measured with it.
#pragma once

#include <filesystem>
#include <string>

#include "autokernel/repo/repository.h"
#include "loop/folders.h"

namespace autokernel::loop {

// Gives the ledger its second name; where the ledger itself is gone, gives it back its first one,
// and says so in a sentence, which is empty otherwise. What has taken the place of the second name
// without being a file is removed. Where another file has taken its place that
// does not begin with all that was written, an editor's work, the second name stays with what was
// written. A file system without hard links has no second name.
[[nodiscard]] std::string keep_ledger(const repo::Repository& repository, const Folders& folders);

// Whether the ledger is gone, and its second name still has it.
[[nodiscard]] bool is_ledger_lost(const repo::Repository& repository, const Folders& folders);

// The second name where it is another file by now, which holds what was written; empty otherwise.
[[nodiscard]] std::filesystem::path ledger_backup(const repo::Repository& repository,
                                                  const Folders& folders);

}  // namespace autokernel::loop
