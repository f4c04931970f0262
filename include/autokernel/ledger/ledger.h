// The append-only record of every experiment, ledger.jsonl: one entry a line. Beside it lies an
// index with a short row for each, so that a step and a status need not read all samples of all
// experiments; it can be made again from the ledger at any time, and is where it does not fit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/ledger/entry.h"

namespace autokernel::ledger {

// An append that is under way: so many bytes stood in the file before it, and what is to follow
// them (whole lines). A program that is killed may have written any part of it.
struct Append {
  std::uint64_t at = 0;
  std::string text;
};

// The lines of entries, each with its newline, as they stand in the file but for what ties them to
// the line before.
[[nodiscard]] std::string lines_of(const std::vector<Entry>& entries);
// The entry in such a line. Throws Error(internal) where it holds none.
[[nodiscard]] Entry entry_of(std::string_view line);

// Where a line stands in ledger.jsonl.
struct LineSpan {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  // newline included
  [[nodiscard]] std::uint64_t end() const { return offset + length; }
};

// One entry as the index knows it.
struct Row {
  std::uint64_t offset = 0;  // of its line in ledger.jsonl
  std::uint64_t length = 0;  // newline included
  // Whole, but for Experiment::result, which is left empty here: read() has it.
  Entry entry;
};

// What the whole file says, its index aside.
struct Inspection {
  std::vector<Row> rows;
  std::uint64_t unchained = 0;  // lines at the beginning that an earlier version wrote: nothing
                                // would show that one of them was edited
  // A sentence on each place where the file is not as it was written: a line that was edited,
  // removed, added or moved, or that is no entry. Of an edit of the last line there is no trace.
  std::vector<std::string> faults;
};

class File;
struct Recovered;

class Ledger {
 public:
  // Opens ledger.jsonl in `folder`, or makes an empty one with the folder. An append that is known
  // to be under way is finished first, whatever part of it was written. Then a last line that is
  // no entry is set aside (ledger.damaged-<n>.jsonl, <n> from 1) and cut off, an index that does
  // not fit is made again, and notes() says so. Takes time that does not grow with the number of
  // entries unless the index has to be made again. Throws Error(repository) for a ledger of a later
  // version, and where the bytes at `pending->at` are not those of the append.
  [[nodiscard]] static Ledger open(const std::filesystem::path& folder,
                                   const std::optional<Append>& pending = std::nullopt);
  // The same for those who only read, also on a disk that cannot be written: nothing is made, set
  // aside or cut off. A ledger that is missing has no entries.
  [[nodiscard]] static Ledger open_to_read(const std::filesystem::path& folder);

  // What was found wrong on opening, and what was done about it; a line each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  // Bytes in the file: where the next entry is going to stand.
  [[nodiscard]] std::uint64_t end() const { return end_; }

  // The append that adds these entries: their lines, each with the SHA-256 of the one before it.
  [[nodiscard]] Append chained(const std::vector<Entry>& entries) const;
  // Adds such lines and has them on the disk when it returns. Throws Error(environment), and
  // then nothing was added. Its time does not grow with the number of entries.
  void append(std::string_view lines);

  // Hands all entries over in order, from the index. Lines in the middle of the ledger that are
  // damaged are left out, and are among notes() of the open() that made the index.
  using Take = std::function<void(const LineSpan&, Entry&&)>;
  void hand_over(const Take& take) const;
  // How many there are, or more: lines that are damaged count, too.
  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  // All of them at once.
  [[nodiscard]] std::vector<Row> rows() const;
  // The last `count` of them, without reading the others.
  [[nodiscard]] std::vector<Row> last_rows(std::size_t count) const;
  // The entry whole. Throws Error(repository) where the line is not what the index says.
  [[nodiscard]] Entry read(const Row& row) const;
  // Has the index made again by the next one who opens it: who edits the ledger may have had it
  // made from that.
  void forget_index() const;
  // Reads all of the file, in time that grows with its bytes: a second for 200 MB.
  [[nodiscard]] Inspection inspect() const;
  // The SHA-256 of so many bytes there; empty where the file has less.
  [[nodiscard]] std::string hash_at(std::uint64_t offset, std::uint64_t length) const;
  // Whether the line there holds the hash of the one before it.
  [[nodiscard]] bool is_chained(const LineSpan& line) const;

 private:
  explicit Ledger(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void take_over(Recovered recovered);
  // To be read; none where it is missing, or does not fit and may not be made again.
  [[nodiscard]] std::optional<File> index() const;

  std::filesystem::path folder_;
  std::uint64_t end_ = 0;
  std::uint64_t lines_ = 0;
  std::uint64_t last_length_ = 0;  // bytes in the last line
  std::uint64_t index_end_ = 0;    // bytes in the index, or that it is not complete
  bool is_index_sound_ = true;     // as far as it goes
  bool is_read_only_ = false;
  std::vector<std::string> notes_;
};

}  // namespace autokernel::ledger
