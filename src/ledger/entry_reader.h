// The ledger itself, line by line: slow, for what the index does not know.
#pragma once

#include <optional>
#include <string>

#include "ledger/file.h"
#include "ledger/index_row.h"
#include "ledger/line_reader.h"

namespace autokernel::ledger {

struct ReadLine {
  IndexRow row;        // without an entry where the line is none
  std::string damage;  // why it is none
};

class EntryReader {
 public:
  // Goes on behind that line, up to before byte `to`.
  EntryReader(const File& ledger, const LinePlace& behind, std::uint64_t to)
      : ledger_(ledger), lines_(ledger, behind.end(), to), last_(behind) {}

  // A line that repeats the one before it, byte for byte, is no entry either: times and numbers
  // tell those that were written apart. Throws Error(repository) for one of a later version.
  [[nodiscard]] std::optional<ReadLine> next();

 private:
  const File& ledger_;
  LineReader lines_;
  LinePlace last_;
};

// The row of a line; none where that is no whole entry.
[[nodiscard]] std::optional<IndexRow> entry_row_of(const Line& line, std::uint64_t number);

}  // namespace autokernel::ledger
