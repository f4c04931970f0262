// The lines of a part of a file, one after the other, in memory for one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ledger/file.h"

namespace autokernel::ledger {

// A measurement holds the kernel's source, which may have 64 MiB (kLargestFile) and take six times
// that in JSON. What is longer is a hole that a crash has left, and is not read into memory.
inline constexpr std::uint64_t kLongestLine = 512ULL << 20;

struct Line {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  // newline included
  // With its newline, which the last one may lack; empty for one that is too long. Valid until the
  // next one is read.
  std::string_view text;
  [[nodiscard]] std::uint64_t end() const { return offset + length; }
};

class LineReader {
 public:
  // From byte `from` to before byte `to`; the file stays open as long as its owner keeps it.
  LineReader(const File& file, std::uint64_t from, std::uint64_t to,
             std::uint64_t longest = kLongestLine)
      : file_(file), next_(from), end_(to), longest_(longest) {}

  [[nodiscard]] std::optional<Line> next();

 private:
  bool read_more();

  const File& file_;
  std::uint64_t next_;  // offset of what follows the line read last
  std::uint64_t end_;
  std::uint64_t longest_;
  std::string buffer_;    // what was read, from that line on
  std::size_t used_ = 0;  // of it, bytes of lines that were given out
};

}  // namespace autokernel::ledger
