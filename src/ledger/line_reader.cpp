#include "ledger/line_reader.h"

#include <algorithm>

namespace autokernel::ledger {
namespace {

// Short enough to stay in the cache: with 1 MiB, clearing new pages took a third of the time.
constexpr std::uint64_t kReadAtOnce = 64ULL << 10;

}  // namespace

// Gives up what was given out, and adds a piece.
bool LineReader::read_more() {
  buffer_.erase(0, used_);
  used_ = 0;
  const std::uint64_t from = next_ + buffer_.size();
  return from < end_ && file_.read_behind(buffer_, from, std::min(kReadAtOnce, end_ - from));
}

std::optional<Line> LineReader::next() {
  std::size_t searched = 0;
  std::uint64_t dropped = 0;  // bytes of a line that is too long
  std::size_t newline = buffer_.find('\n', used_);
  while (newline == std::string::npos) {
    searched = buffer_.size() - used_;
    if (searched + dropped > longest_) {
      dropped += searched;
      next_ += searched;
      used_ = buffer_.size();
      searched = 0;
    }
    if (!read_more()) break;
    newline = buffer_.find('\n', used_ + searched);
  }
  const std::size_t end = newline == std::string::npos ? buffer_.size() : newline + 1;
  const std::size_t length = end - used_;
  if (length + dropped == 0) return std::nullopt;
  Line line{.offset = next_ - dropped, .length = length + dropped, .text = {}};
  if (dropped == 0) line.text = std::string_view(buffer_).substr(used_, length);
  used_ = end;
  next_ += length;
  return line;
}

}  // namespace autokernel::ledger
