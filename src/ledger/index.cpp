#include "ledger/index.h"

#include <algorithm>

#include "autokernel/base/error.h"

namespace autokernel::ledger {
namespace {

// Most rows have half a kilobyte; the first of a run, with the files it guards, may have many.
constexpr std::uint64_t kFirstRowGuess = 4096;
// Rows are written so many bytes at a time: a call for each would take longer than reading them.
constexpr std::size_t kBatch = 1U << 20U;

}  // namespace

IndexPart IndexPart::whole(const File& index) {
  IndexPart part(index, kIndexHeader.size(), index.size());
  part.whole_ = true;
  part.last_.emplace();
  part.damaged_ = !has_index_header(index);
  return part;
}

IndexPart IndexPart::last(const File& index, std::uint64_t bytes) {
  const std::uint64_t size = index.size();
  if (size < bytes + kIndexHeader.size()) return whole(index);
  IndexPart part(index, size - bytes, size);
  // It begins somewhere in a row.
  static_cast<void>(part.lines_.next());
  return part;
}

std::optional<Line> IndexPart::next_line() {
  if (damaged_) return std::nullopt;
  std::optional<Line> line = lines_.next();
  if (line && !line->text.empty() && line->text.back() != '\n') line.reset();
  return line;
}

std::optional<IndexRow> IndexPart::next() {
  const std::optional<Line> line = next_line();
  std::optional<IndexRow> row =
      line ? parse_index_row(line->text.substr(0, line->text.size() - 1)) : std::nullopt;
  if (!row) {
    damaged_ = damaged_ || line;
  } else if (last_ && (row->line.number != last_->number + 1 || row->line.offset != last_->end())) {
    damaged_ = true;
    row.reset();
  } else {
    place_ = line->end();
    last_ = row->line;
  }
  return row;
}

bool has_index_header(const File& index) {
  return index.read(0, kIndexHeader.size()) == kIndexHeader;
}

std::optional<IndexRow> first_row(const File& index) {
  for (std::uint64_t guess = kFirstRowGuess;; guess *= 4) {
    const std::string text = index.read(kIndexHeader.size(), guess);
    const std::size_t newline = text.find('\n');
    if (newline != std::string::npos) return parse_index_row(text.substr(0, newline));
    if (text.size() < guess) return std::nullopt;
  }
}

IndexWriter::IndexWriter(File index, std::uint64_t place)
    : index_(std::move(index)), place_(place) {
  try {
    if (index_.size() != place_) index_.cut(place_);
  } catch (const Error&) {
    place_ = kNowhere;
  }
  if (place_ == 0) text_ = kIndexHeader;
}

void IndexWriter::add(const IndexRow& row) {
  text_ += text_of(row);
  if (text_.size() >= kBatch) flush();
}

std::uint64_t IndexWriter::finish() {
  flush();
  return place_;
}

void IndexWriter::flush() {
  if (place_ == kNowhere) {
    text_.clear();
    return;
  }
  try {
    index_.write(place_, text_);
    place_ += text_.size();
  } catch (const Error&) {
    place_ = kNowhere;
  }
  text_.clear();
}

}  // namespace autokernel::ledger
