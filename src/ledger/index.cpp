#include "ledger/index.h"

#include <algorithm>

#include "autokernel/base/error.h"

namespace autokernel::ledger {
namespace {

// Most rows have half a kilobyte; the first of a run, with the files it guards, may have many.
constexpr std::uint64_t kFirstRowGuess = 4096;
// Rows are written so many bytes at a time: a call for each would take longer than reading them.
constexpr std::size_t kBatch = 1U << 20U;

[[nodiscard]] IndexRow numbers_of(const IndexRow& row) {
  return {.line = row.line,
          .offset = row.offset,
          .length = row.length,
          .sum = row.sum,
          .entry = std::nullopt};
}

}  // namespace

IndexPart IndexPart::whole(const File& index) {
  IndexPart part;
  part.whole_ = true;
  part.last_.emplace();
  part.text_ = index.read(0, index.size());
  part.damaged_ = !part.text_.starts_with(kIndexHeader);
  part.used_ = part.damaged_ ? part.text_.size() : kIndexHeader.size();
  return part;
}

IndexPart IndexPart::last(const File& index, std::uint64_t bytes) {
  const std::uint64_t size = index.size();
  if (size < bytes + kIndexHeader.size()) return whole(index);
  IndexPart part;
  part.place_ = size - bytes;
  part.text_ = index.read(part.place_, bytes);
  // It begins somewhere in a row.
  const std::size_t newline = part.text_.find('\n');
  part.used_ = newline == std::string::npos ? part.text_.size() : newline + 1;
  return part;
}

std::optional<IndexRow> IndexPart::next() {
  if (damaged_) return std::nullopt;
  const std::size_t end = text_.find('\n', used_);
  if (end == std::string::npos) return std::nullopt;
  std::optional<IndexRow> row = parse_index_row(std::string_view(text_).substr(used_, end - used_));
  if (!row || (last_ && (row->line != last_->line + 1 || row->offset != last_->end()))) {
    damaged_ = true;
    return std::nullopt;
  }
  used_ = end + 1;
  last_ = numbers_of(*row);
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
