#include "ledger/recovery.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "autokernel/base/error.h"
#include "ledger/checksum.h"
#include "ledger/entry_reader.h"
#include "ledger/index.h"
#include "ledger/lost_entries.h"

namespace autokernel::ledger {
namespace {

// Enough for a hundred rows, and read in no time.
constexpr std::uint64_t kTailGuess = 64ULL << 10;
// The rest of them is only counted: a file that is all damage would fill the terminal.
constexpr std::size_t kMostDamageNotes = 20;
constexpr std::uint64_t kPiece = 1ULL << 20;
// No run writes so much between two commands, and to read it takes half a minute. A file that was
// made longer without being written to may have any size.
constexpr std::uint64_t kMostUnread = 4ULL << 30;

// How far the index can be trusted.
struct Known {
  LinePlace last;              // the last entry that it knows and the ledger has; zeros: none
  std::uint64_t place = 0;     // where in the index that row ends; 0: the index is to be made again
  std::string why;             // it is
  std::vector<IndexRow> lost;  // rows of lines that the ledger does not have any more
};

[[nodiscard]] bool has_line_of(const File& ledger, const LinePlace& line) {
  // The sum of such a line was never taken.
  if (line.length > kLongestLine) return true;
  return checksum(ledger.read(line.offset, line.length)) == line.sum;
}

// The last entry and what was lost, from as few rows as it takes.
[[nodiscard]] Known end_of(const File& index, std::uint64_t ledger_size) {
  for (std::uint64_t bytes = kTailGuess;; bytes *= 4) {
    IndexPart part = IndexPart::last(index, bytes);
    Known known;
    if (part.is_whole()) known.place = kIndexHeader.size();
    while (std::optional<IndexRow> row = part.next()) {
      if (row->line.end() > ledger_size) {
        known.lost.push_back(std::move(*row));
      } else if (row->entry) {
        known.last = row->line;
        known.place = part.place();
      }
    }
    if (part.is_damaged()) return {.last = {}, .place = 0, .why = "was damaged", .lost = {}};
    if (known.place != 0) return known;
  }
}

[[nodiscard]] Known known_by(const std::optional<File>& index, const File& ledger) {
  const auto to_be_made = [](const char* why) {
    return Known{.last = {}, .place = 0, .why = why, .lost = {}};
  };
  if (!index) return to_be_made("was missing");
  if (!has_index_header(*index)) return to_be_made("was damaged or of another version");
  Known known = end_of(*index, ledger.size());
  if (known.last.number == 0) return known;
  const std::optional<IndexRow> first = first_row(*index);
  if (!first || !has_line_of(ledger, first->line) || !has_line_of(ledger, known.last)) {
    return to_be_made("belonged to another ledger");
  }
  return known;
}

// What is no entry, as notes: the first of them one by one.
class DamageNotes {
 public:
  void add(const ReadLine& line) {
    if (++count_ > kMostDamageNotes) return;
    notes_.push_back(fmt::format("line {} of {} (at byte {}) is damaged, and is skipped: {}",
                                 line.row.line.number, kLedgerName, line.row.line.offset,
                                 line.damage));
  }
  void add_to(std::vector<std::string>& notes) const {
    notes.insert(notes.end(), notes_.begin(), notes_.end());
    if (count_ > kMostDamageNotes) {
      notes.push_back(
          fmt::format("so are {} more lines of {}", count_ - kMostDamageNotes, kLedgerName));
    }
  }

 private:
  std::vector<std::string> notes_;
  std::size_t count_ = 0;
};

void copy(const File& from, std::uint64_t begin, std::uint64_t end, const File& to) {
  for (std::uint64_t done = begin; done < end; done += kPiece) {
    const std::string piece = from.read(done, std::min(kPiece, end - done));
    // A hole stays one: it may be larger than the disk.
    if (piece.find_first_not_of('\0') != std::string::npos) to.write(done - begin, piece);
  }
  if (to.size() < end - begin) to.cut(end - begin);
  to.sync();
}

[[nodiscard]] File new_file_for_damage(const std::filesystem::path& folder) {
  for (int n = 1;; ++n) {
    const std::string name = fmt::format("ledger.damaged-{}.jsonl", n);
    if (std::optional<File> file = File::make_new(folder / name)) return std::move(*file);
  }
}

// The bytes are safe in another file before they go from this one.
[[nodiscard]] std::string set_aside(const File& ledger, std::uint64_t begin, std::uint64_t end) {
  const std::filesystem::path folder = ledger.path().parent_path();
  const File aside = new_file_for_damage(folder);
  try {
    copy(ledger, begin, end, aside);
  } catch (const Error&) {
    ::unlink(aside.path().c_str());
    throw;
  }
  sync_folder(folder);
  ledger.cut(begin);
  ledger.sync();
  return aside.path().filename().string();
}

// The index is written over in its place. Where that is a link, or another name of a file, the file
// is somebody else's: whoever writes lets the name go, and an index is made.
[[nodiscard]] std::optional<File> index_at(const std::filesystem::path& path, Access access) {
  struct stat status{};
  const bool is_there = ::lstat(path.c_str(), &status) == 0;
  const bool is_ours = is_there && S_ISREG(status.st_mode) && status.st_nlink == 1;
  if (is_there && !is_ours && !S_ISDIR(status.st_mode)) {
    if (access == Access::write) ::unlink(path.c_str());
    return std::nullopt;
  }
  return File::open_to_read(path);
}

}  // namespace

void finish_pending(const File& ledger, const Append& pending) {
  const std::uint64_t size = ledger.size();
  if (size < pending.at) {
    throw Error(Stop::repository,
                fmt::format("cannot finish what was being added to {} at byte {}: it has only {} "
                            "bytes now; put the file back as it was",
                            ledger.path().string(), pending.at, size));
  }
  const std::string there = ledger.read(pending.at, pending.text.size());
  if (!is_part_of(there, pending.text)) {
    throw Error(Stop::repository,
                fmt::format("cannot finish what was being added to {} at byte {}: something else "
                            "is there; put the file back as it was",
                            ledger.path().string(), pending.at));
  }
  if (there == pending.text) {
    ledger.sync();
  } else {
    ledger.write_whole(pending.at, pending.text);
  }
}

Recovered recover(const File& ledger, Access access) {
  const std::uint64_t size = ledger.size();
  const std::filesystem::path index_path = ledger.path().parent_path() / kIndexName;
  const Known known = known_by(index_at(index_path, access), ledger);
  if (size - std::min(size, known.last.end()) > kMostUnread) {
    const std::string remedy = known.last.end() == 0
                                   ? std::string("restore an intact one, or move it away")
                                   : fmt::format("'truncate -s {} {}' cuts them off",
                                                 known.last.end(), ledger.path().string());
    throw Error(Stop::repository,
                fmt::format("cannot read {}: it ends in {} bytes that no command of the loop has "
                            "written; {}",
                            ledger.path().string(), size - known.last.end(), remedy));
  }
  Recovered recovered;
  const bool writes = access == Access::write;
  recovered.is_index_sound = writes || known.place != 0;
  if (writes && !known.why.empty() && size > 0) {
    recovered.notes.push_back(
        fmt::format("{} {}, and was rebuilt from {}", kIndexName, known.why, kLedgerName));
  }
  if (!known.lost.empty()) {
    recovered.notes.push_back(
        fmt::format("{} ends at byte {}, but had more when it was last written; lost: {}",
                    kLedgerName, size, described(known.lost)));
  }

  std::optional<IndexWriter> index;
  if (writes) index.emplace(File::open_or_make(index_path), known.place);
  recovered.end = known.last.end();
  recovered.lines = known.last.number;
  recovered.last_length = known.last.length;
  // Lines that are none are damage in the middle only once an entry follows them.
  std::vector<ReadLine> no_entries;
  DamageNotes damage;
  EntryReader reader(ledger, known.last, size);
  while (std::optional<ReadLine> line = reader.next()) {
    if (!line->row.entry) {
      no_entries.push_back(std::move(*line));
      continue;
    }
    for (const ReadLine& left_out : no_entries) {
      damage.add(left_out);
      if (index) index->add(left_out.row);
    }
    no_entries.clear();
    if (index) index->add(line->row);
    recovered.end = line->row.line.end();
    recovered.lines = line->row.line.number;
    recovered.last_length = line->row.line.length;
  }
  recovered.index_end = index ? index->finish() : IndexWriter::kNowhere;
  damage.add_to(recovered.notes);
  if (!no_entries.empty() && !writes) {
    recovered.notes.push_back(
        fmt::format("the last {} bytes of {} are not an entry ({}), and are skipped",
                    size - recovered.end, kLedgerName, no_entries.front().damage));
  } else if (!no_entries.empty()) {
    const std::string name = set_aside(ledger, recovered.end, size);
    recovered.notes.push_back(
        fmt::format("the last {} bytes of {} are not an entry ({}), and were moved to {}",
                    size - recovered.end, kLedgerName, no_entries.front().damage, name));
  }
  return recovered;
}

}  // namespace autokernel::ledger
