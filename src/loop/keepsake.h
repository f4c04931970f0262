// A second name for the ledger, within git's own folder: `git clean -fdx`, as agents run it,
// removes .autokernel, and everything that was ever measured with it.
#pragma once

#include <string>

#include "autokernel/repo/repository.h"
#include "loop/folders.h"

namespace autokernel::loop {

// Gives the ledger its second name; where the ledger itself is gone, gives it back its first one,
// and says so in a sentence, which is empty otherwise. A file system without hard links has no
// second name.
[[nodiscard]] std::string keep_ledger(const repo::Repository& repository, const Folders& folders);

}  // namespace autokernel::loop
