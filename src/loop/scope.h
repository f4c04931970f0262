// What else has been changed than the files that may be.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "autokernel/cases/case.h"
#include "autokernel/ledger/entry.h"
#include "autokernel/loop/status.h"
#include "autokernel/repo/repository.h"
#include "loop/editable_set.h"

namespace autokernel::loop {

// The files, from the root, that decide what a measurement means: case.toml, the references it
// names, and program.md; those of them that exist, with git's id of what they hold, which is kept
// in git's store. They are looked at by content, so that one that git ignores, or is told to
// overlook, is seen to change as well.
[[nodiscard]] std::map<std::string, std::string> guarded_files(const repo::Repository& repository,
                                                               const cases::CaseFiles& files);
// By folder, what [compile] include holds.
[[nodiscard]] std::map<std::string, std::string> digests_of(
    const std::vector<cases::HeaderFolder>& folders);
// The run's case, read once, whose bytes are those that it was started with. Throws Error(scope)
// where they are not, naming each file.
[[nodiscard]] cases::CaseFiles unchanged_case(const repo::Repository& repository,
                                              const ledger::RunStarted& run);

// What differs from the head's commit now, the editable files and the loop's own left out;
// kept in git's store, so that it can be put back, whoever changes it later. Of what is too large
// for that there is an id alone, by which a change is seen.
[[nodiscard]] std::vector<ledger::Unsaved> unsaved_files(const repo::Repository& repository,
                                                         const EditableSet& editable);

// A file that is not as it was when the run was started.
struct Strayed {
  std::string path;
  std::string what;  // "modified", "new", "deleted"
  std::string blob;  // what it held then, in git's store if it can be put back; empty: nothing
  bool was_unsaved = false;  // it differed from the commit already then
};
// Of these changes: all there are, but for those of the loop's own files.
[[nodiscard]] std::vector<Strayed> strayed_files(const repo::Repository& repository,
                                                 const ledger::RunStarted& run,
                                                 const std::vector<repo::Change>& changes);

// "kernels/case.toml (modified), mine.h (new)"
[[nodiscard]] std::string list_of(const std::vector<Strayed>& strayed);

// Throws Error(scope), naming each file, where there was one at the last look.
void require_nothing_strayed(const Status& status);

}  // namespace autokernel::loop
