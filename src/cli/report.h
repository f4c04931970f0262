// What bench prints for a result.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "autokernel/ledger/entry.h"
#include "autokernel/ledger/figure_text.h"
#include "autokernel/trial/result.h"

namespace autokernel::cli {

// The lines of standard output. Two lines on the device and "---", then one "key: value" a line,
// the value in column 18; the first twelve keys, their order and their number formats are those of
// the harnesses people already parse. A value that does not exist has no line; a failed run has no
// times, whatever was measured. `log` is the path of the full texts, empty where there are none.
[[nodiscard]] std::string text_block(const trial::Result& result, const std::string& log);

// How the block ends where a caller adds to the result, with lines of its own
// before it.
struct LastWord {
  std::vector<std::pair<std::string, std::string>> lines;  // key and value
  std::string verdict;
  std::string reason;  // empty: no line
  std::string next;
};
[[nodiscard]] std::string text_block(const trial::Result& result, const std::string& log,
                                     const LastWord& last);

// What took how long, as a last key "timings" with a line for each.
[[nodiscard]] std::string timings_block(const std::vector<trial::Span>& timings);

using ledger::metric_text;
// "1.210 times as good (95 %: 1.190 to 1.231)": a ratio of such values.
[[nodiscard]] std::string times_as_good(const ledger::Confirmed& ratio);
// "2.086 times as fast (95 %: 2.061 to 2.112)"; of a library with its name: "... as fast as
// OpenBLAS 0.3.21 (...)".
[[nodiscard]] std::string times_as_fast(const ledger::Confirmed& ratio,
                                        const std::string& library = {});

}  // namespace autokernel::cli
