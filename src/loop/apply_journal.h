// Doing what a journal says: the one way in which the loop changes branch, ledger, results and
// file, whether it has decided so a moment ago or was killed meanwhile.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/ledger/ledger.h"
#include "autokernel/repo/repository.h"
#include "loop/folders.h"
#include "loop/journal.h"

namespace autokernel::loop {

// Called with a name at each place where a kill leaves work unfinished.
using Reached = std::function<void(std::string_view point)>;

// Writes the journal, does what it says, and removes it. Throws where something fails; what was
// done stays, and doing it again later is safe. What somebody has changed meanwhile (another head,
// a branch moved, the file edited) is not overwritten: a sentence about each such thing.
[[nodiscard]] std::vector<std::string> apply(const Recording& recording,
                                             const repo::Repository& repository,
                                             const Folders& folders, const Reached& reached);

// Removes what a program that was killed while it wrote that file has left beside it; whether there
// was any.
bool remove_unfinished_of(const Folders& folders, const std::string& path);

// Copies a file of the worktree to where nothing overwrites it, or moves it where it is no regular
// file; says where that is. None where there is none.
std::optional<std::filesystem::path> put_aside(const Folders& folders, const std::string& path);
// The same to that place, of which nothing is there yet.
std::optional<std::filesystem::path> put_aside(const Folders& folders, const std::string& path,
                                               const std::filesystem::path& to);

// Finishes, or takes back, what an earlier program has left half done; a sentence about each thing
// that was repaired. To be called by the holder of the lock.
[[nodiscard]] std::vector<std::string> recover(const repo::Repository& repository,
                                               const Folders& folders, const Reached& reached);

// The recording of an experiment that ended without a verdict: its source goes to its reference,
// and the file back to the incumbent.
[[nodiscard]] Recording interrupted(const Trying& trying, const repo::Repository& repository,
                                    const Folders& folders);

// Leaves things as if the step under way had not begun: no reference, no journal, and the edit
// where it is. Where git cannot delete the reference, as on a full disk, recover() does it.
void undo_step(const repo::Repository& repository, const Folders& folders,
               const std::string& reference);

// The full name of the reference that keeps an experiment's commit for ever.
[[nodiscard]] std::string reference_of(const std::string& tag, int number);

}  // namespace autokernel::loop
