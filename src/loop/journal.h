// What is under way, on the disk before it is done: whoever finds a journal finishes it, or takes
// it back.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "autokernel/ledger/entry.h"
#include "autokernel/ledger/ledger.h"

namespace autokernel::loop {

// An experiment whose trial has begun and has no verdict. All that is known of it is in the entry;
// its commit is in git's store, whether or not the reference has been made yet.
struct Trying {
  std::string branch;
  std::string editable;                          // path of the main file
  std::vector<std::string> editable_files = {};  // paths of the others, as far as they are known
  ledger::Experiment experiment;
};

// What is decided and has to be done, all of it, in the order of the fields. Each thing can be done
// again without harm.
struct Recording {
  std::string what;      // for messages: "experiment 7"
  std::string branch;    // "autokernel/demo"
  std::string editable;  // path of the main file
  // Paths of the others, as far as there were any in the worktree and the commits.
  std::vector<std::string> editable_files = {};
  // References to be made: full name and commit.
  struct Reference {
    std::string name;
    std::string commit;
  };
  std::vector<Reference> references;
  // The run's seal (seal.h), in the same way, of a blob; without a name: stays.
  struct SealReference {
    std::string name;
    std::string blob;
  };
  SealReference seal;
  ledger::Append ledger;
  std::string results_aside;  // file that the rows of an earlier run go to first; empty: none
  ledger::Append results;     // without text: none
  // The branch: made at `to` and switched to where `from` is empty, else moved; empty: stays.
  std::string from;
  std::string to;
  // The commit that the editable files and their index entries are then set to.
  std::string file_from;
};

using Journal = std::variant<Trying, Recording>;

// Replaces the journal; it is on the disk when this returns. Throws Error(environment).
void write_journal(const std::filesystem::path& file, const Journal& journal);
// None where there is no journal. Throws Error(internal) for one that cannot be understood.
[[nodiscard]] std::optional<Journal> read_journal(const std::filesystem::path& file);
void remove_journal(const std::filesystem::path& file);

}  // namespace autokernel::loop
