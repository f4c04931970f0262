// One row of the ledger's index as text, and back. This is the format of ledger.index:
//
//   autokernel-ledger-index 6
//   <sum> <line> <offset> <length> <sum of the line> <kind> <field> ...
//
// One row for each line of the ledger, up to the last that is an entry; tabs between the columns.
// <sum> is the checksum of what follows its tab, both sums are hexadecimal. <kind> is that of the
// ledger's line, or "damaged" for one that is no entry and is left out. The fields are those of the
// entry (fields.h), one after the other: an optional begins with 0 or 1, a list or a map with its
// length; in texts, backslash, tab and newline are "\\", "\t" and "\n". It is read a hundred times
// as fast as the ledger: without JSON, and without the measurements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "autokernel/ledger/entry.h"

namespace autokernel::ledger {

// Anybody's index of another version is made again: nothing in it is nowhere else.
inline constexpr std::string_view kIndexHeader = "autokernel-ledger-index 6\n";

// A line of the ledger; all zeros: the one before the first.
struct LinePlace {
  std::uint64_t number = 0;  // from 1
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  // newline included
  std::uint64_t sum = 0;     // the checksum of its bytes

  [[nodiscard]] std::uint64_t end() const { return offset + length; }
  friend bool operator==(const LinePlace&, const LinePlace&) = default;
};

struct IndexRow {
  LinePlace line;
  // Without its measurement; none for a line that is left out.
  std::optional<Entry> entry;
};

// With its newline.
[[nodiscard]] std::string text_of(const IndexRow& row);
// Without its newline; none where it is damaged.
[[nodiscard]] std::optional<IndexRow> parse_index_row(std::string_view text);

// The checksum of a row's other columns in front of them: they begin with a tab.
[[nodiscard]] std::string with_sum(std::string_view columns);

// Whether both are the same entry, whatever they were measured to be. Numbers that are none are
// equal here.
[[nodiscard]] bool is_same_but_for_measurement(const Entry& one, const Entry& other);

}  // namespace autokernel::ledger
