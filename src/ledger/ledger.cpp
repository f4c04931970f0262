#include "autokernel/ledger/ledger.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "ledger/chain.h"
#include "ledger/entry_json.h"
#include "ledger/entry_reader.h"
#include "ledger/file.h"
#include "ledger/index.h"
#include "ledger/recovery.h"

namespace autokernel::ledger {
namespace {

constexpr std::uint64_t kLongRow = 1024;  // few have more
constexpr std::uint64_t kLeastTail = 64ULL << 10;

[[nodiscard]] std::vector<IndexRow> index_rows_of(std::string_view lines, std::uint64_t offset,
                                                  std::uint64_t number) {
  std::vector<IndexRow> rows;
  while (!lines.empty()) {
    const std::size_t length = std::min(lines.find('\n'), lines.size() - 1) + 1;
    const Line line{.offset = offset, .length = length, .text = lines.substr(0, length)};
    std::optional<IndexRow> row = entry_row_of(line, ++number);
    if (!row) throw Error(Stop::internal, "cannot add to the ledger: the entry is incomplete");
    rows.push_back(std::move(*row));
    offset += length;
    lines.remove_prefix(length);
  }
  return rows;
}

// One that was there when the ledger was opened.
[[nodiscard]] File opened_to_read(const std::filesystem::path& path) {
  if (std::optional<File> file = File::open_to_read(path)) return std::move(*file);
  throw Error(Stop::environment,
              "cannot read " + path.string() + ": it has just been removed; run the command again");
}

// Hands entries over in the order read, and knows how far the ledger is known by them.
struct Handing {
  const Ledger::Take& take;
  LinePlace last = {};

  void add(IndexRow& row) {
    last = row.line;
    if (row.entry) take({.offset = last.offset, .length = last.length}, std::move(*row.entry));
  }
};

// Rows up to byte `end` of the ledger: the index may have more by now, from another process.
void hand_over(IndexPart& part, std::uint64_t end, Handing& handing) {
  while (std::optional<IndexRow> row = part.next()) {
    if (row->line.end() > end) return;
    handing.add(*row);
  }
}

// What the index does not know: it could not be written, or is damaged.
void hand_over_from_ledger(const std::filesystem::path& path, std::uint64_t end, Handing& handing) {
  if (handing.last.end() >= end) return;
  const File ledger = opened_to_read(path);
  EntryReader reader(ledger, handing.last, end);
  while (std::optional<ReadLine> line = reader.next()) handing.add(line->row);
}

[[nodiscard]] Ledger::Take adding_to(std::vector<Row>& rows) {
  return [&rows](const LineSpan& line, Entry&& entry) {
    rows.push_back({line.offset, line.length, std::move(entry)});
  };
}

[[nodiscard]] std::vector<Row> last_of(std::vector<Row> rows, std::size_t count) {
  if (rows.size() > count) {
    rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(count));
  }
  return rows;
}

}  // namespace

Ledger Ledger::open(const std::filesystem::path& folder, const std::optional<Append>& pending) {
  make_folders_below(folder.parent_path(), folder.filename());
  Ledger opened(folder);
  const File file = File::open_or_make(folder / kLedgerName);
  if (file.is_new()) sync_folder(folder);
  // A reader of a run under way must not take half of a line for damage.
  file.lock();
  if (pending) finish_pending(file, *pending);
  opened.take_over(recover(file, Access::write));
  return opened;
}

Ledger Ledger::open_to_read(const std::filesystem::path& folder) {
  Ledger opened(folder);
  opened.is_read_only_ = true;
  const std::optional<File> file = File::open_to_read(folder / kLedgerName);
  if (!file) return opened;
  // A writer is not to be met in the middle of a line.
  file->lock_to_read();
  opened.take_over(recover(*file, Access::read));
  return opened;
}

void Ledger::take_over(Recovered recovered) {
  end_ = recovered.end;
  lines_ = recovered.lines;
  last_length_ = recovered.last_length;
  index_end_ = recovered.index_end;
  is_index_sound_ = recovered.is_index_sound;
  notes_ = std::move(recovered.notes);
}

std::optional<File> Ledger::index() const {
  if (!is_index_sound_) return std::nullopt;
  return File::open_to_read(folder_ / kIndexName);
}

Append Ledger::chained(const std::vector<Entry>& entries) const {
  Append append{.at = end_, .text = {}};
  std::string previous = last_length_ == 0 ? "" : hash_at(end_ - last_length_, last_length_);
  for (const Entry& entry : entries) {
    const std::string line = with_link(line_of(entry), previous);
    previous = link_to(line);
    append.text += line;
  }
  return append;
}

void Ledger::append(std::string_view lines) {
  const std::vector<IndexRow> rows = index_rows_of(lines, end_, lines_);
  if (rows.empty()) return;
  const File file = File::open_or_make(folder_ / kLedgerName);
  file.lock();
  if (const std::uint64_t size = file.size(); size != end_) {
    throw Error(
        Stop::repository,
        fmt::format("cannot add to {}: it has {} bytes, not the {} it had when it was opened; "
                    "another program is writing to it: end that program, and try again",
                    file.path().string(), size, end_));
  }
  file.write_whole(end_, lines);
  end_ += lines.size();
  lines_ = rows.back().line.number;
  last_length_ = rows.back().line.length;

  // From here on nothing may fail: the entries are in the ledger.
  try {
    File index = File::open_or_make(folder_ / kIndexName);
    if (index.size() != index_end_) return;  // a gap in it would be taken for damage
    IndexWriter writer(std::move(index), index_end_);
    for (const IndexRow& row : rows) writer.add(row);
    index_end_ = writer.finish();
  } catch (const Error&) {
    index_end_ = IndexWriter::kNowhere;
  }
}

void Ledger::hand_over(const Take& take) const {
  Handing handing{take};
  if (const std::optional<File> index = this->index()) {
    IndexPart part = IndexPart::whole(*index);
    ledger::hand_over(part, end_, handing);
    // open() looks at its ends alone, and makes it again only where it is missing.
    if (part.is_damaged() && !is_read_only_) forget_index();
  }
  hand_over_from_ledger(folder_ / kLedgerName, end_, handing);
}

std::vector<Row> Ledger::rows() const {
  std::vector<Row> rows;
  rows.reserve(lines_);
  hand_over(adding_to(rows));
  return rows;
}

std::vector<Row> Ledger::last_rows(std::size_t count) const {
  std::vector<Row> rows;
  const Take take = adding_to(rows);
  Handing handing{take};
  const std::optional<File> index = this->index();
  std::uint64_t bytes = std::max(kLeastTail, count * kLongRow);
  for (bool enough = false; !enough; bytes *= 4) {
    if (!index) return last_of(this->rows(), count);
    IndexPart part = IndexPart::last(*index, bytes);
    rows.clear();
    handing.last = {};
    ledger::hand_over(part, end_, handing);
    if (part.is_damaged()) return last_of(this->rows(), count);
    enough = part.is_whole() || rows.size() >= std::max<std::size_t>(count, 1);
  }
  hand_over_from_ledger(folder_ / kLedgerName, end_, handing);
  return last_of(std::move(rows), count);
}

std::string Ledger::hash_at(std::uint64_t offset, std::uint64_t length) const {
  const std::string bytes = opened_to_read(folder_ / kLedgerName).read(offset, length);
  return bytes.size() == length ? link_to(bytes) : "";
}

void Ledger::forget_index() const { ::unlink((folder_ / kIndexName).c_str()); }

bool Ledger::is_chained(const LineSpan& line) const {
  const File file = opened_to_read(folder_ / kLedgerName);
  return link_in(file.read(line.offset, line.length)).has_value();
}

Entry Ledger::read(const Row& row) const {
  const File file = opened_to_read(folder_ / kLedgerName);
  ParsedLine parsed = parse_line(file.read(row.offset, row.length));
  auto* entry = std::get_if<Entry>(&parsed);
  if (entry == nullptr || !is_same_but_for_measurement(*entry, row.entry)) {
    throw Error(
        Stop::repository,
        fmt::format("cannot read the entry at byte {} of {}: it is not what {} says; the file was "
                    "changed. Remove {}: it is rebuilt",
                    row.offset, file.path().string(), kIndexName, (folder_ / kIndexName).string()));
  }
  return std::move(*entry);
}

}  // namespace autokernel::ledger
