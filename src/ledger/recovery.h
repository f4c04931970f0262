// What Ledger::open does before anybody reads or appends: leaves a ledger of whole entries, with an
// index that fits, whatever happened to the files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/ledger/ledger.h"
#include "ledger/file.h"

namespace autokernel::ledger {

inline constexpr const char* kLedgerName = "ledger.jsonl";
inline constexpr const char* kIndexName = "ledger.index";

// Writes what is missing of the append. Throws Error(repository) where something else stands in its
// place.
void finish_pending(const File& ledger, const Append& pending);

// Whether the files may be changed, or are only looked at.
enum class Access : std::uint8_t { read, write };

struct Recovered {
  std::uint64_t end = 0;  // bytes in the ledger
  std::uint64_t lines = 0;
  std::uint64_t last_length = 0;  // bytes in the last of them
  std::uint64_t index_end = 0;    // bytes in the index; IndexWriter::kNowhere: it is not complete
  bool is_index_sound = true;     // as far as it goes
  std::vector<std::string> notes;
};
// Brings the index up to the ledger's last entry, and moves what follows that one aside. Throws
// Error(repository) for an entry of a later version; the ledger is then unchanged. With
// Access::read nothing is written, and what follows the last entry is passed over.
[[nodiscard]] Recovered recover(const File& ledger, Access access);

}  // namespace autokernel::ledger
