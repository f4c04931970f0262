// The seal of a run: what the last line of its ledger was, kept in git. The chain in the ledger
// shows an edit of any line by the next one; that of the last line, and lines that were cut off,
// the seal shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/ledger/ledger.h"
#include "autokernel/repo/repository.h"
#include "loop/folders.h"
#include "loop/journal.h"

namespace autokernel::loop {

struct Seal {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::string sha256;
  friend bool operator==(const Seal&, const Seal&) = default;
};

// The reference that holds a run's seal, as a blob, so that no log of commits shows it:
// "refs/autokernel-seals/<tag>".
[[nodiscard]] std::string seal_name(const std::string& tag);
[[nodiscard]] std::string text_of(const Seal& seal);
// None for a text that is no seal.
[[nodiscard]] std::optional<Seal> parse_seal(const std::string& text);
// Of the last line of an append.
[[nodiscard]] Seal seal_of(const ledger::Append& append);

// Adds entries of that run to what is to be recorded: their lines, and the seal of the last one.
void add_entries(Recording& recording, const repo::Repository& repository, const Folders& folders,
                 const std::string& tag, const std::vector<ledger::Entry>& entries);

}  // namespace autokernel::loop
