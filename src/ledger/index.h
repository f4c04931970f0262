// Reading and extending the file ledger.index (its format: index_row.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "ledger/file.h"
#include "ledger/index_row.h"
#include "ledger/line_reader.h"

namespace autokernel::ledger {

// Rows of an index in order, each behind the one before it. The file stays open as long as its
// owner keeps it.
class IndexPart {
 public:
  // All of them. One that does not begin with the header has none, and is damaged.
  [[nodiscard]] static IndexPart whole(const File& index);
  // Those that lie whole in the last `bytes` of it.
  [[nodiscard]] static IndexPart last(const File& index, std::uint64_t bytes);

  // None at the end, and before a row that is damaged or does not belong behind the last one.
  [[nodiscard]] std::optional<IndexRow> next();
  // Whether there was such a row. A last one without a newline, as a kill leaves it, is none.
  [[nodiscard]] bool is_damaged() const { return damaged_; }
  // Whether there are none before them.
  [[nodiscard]] bool is_whole() const { return whole_; }
  // Where in the file the row ends that was read last.
  [[nodiscard]] std::uint64_t place() const { return place_; }

 private:
  IndexPart(const File& index, std::uint64_t from, std::uint64_t to) : lines_(index, from, to) {}
  // None at the end, and behind a row that is damaged.
  [[nodiscard]] std::optional<Line> next_line();

  LineReader lines_;
  std::uint64_t place_ = 0;
  bool whole_ = false;
  bool damaged_ = false;
  std::optional<LinePlace> last_;  // none: any row may be the first
};

[[nodiscard]] bool has_index_header(const File& index);
[[nodiscard]] std::optional<IndexRow> first_row(const File& index);

// Adds rows where the file ends. Not synced, and a failure is none: what is missing from an index
// is read from the ledger, and added at the next opening.
class IndexWriter {
 public:
  // Cuts the file to `place` first; 0: makes it anew.
  IndexWriter(File index, std::uint64_t place);

  void add(const IndexRow& row);
  // Has them in the file, and says where it ends; kNowhere where that failed.
  [[nodiscard]] std::uint64_t finish();

  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

 private:
  void flush();

  File index_;
  std::uint64_t place_;
  std::string text_;
};

}  // namespace autokernel::ledger
