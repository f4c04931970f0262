// Which kernel of a program to work on next: where an improvement would still bring the most.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/programs/extracted.h"
#include "autokernel/programs/ranking.h"

namespace autokernel::programs {

// What has been done about a case: its runs of the loop, put together.
struct Effort {
  std::string folder;        // ExtractedCase::folder
  double speedup = 1;        // of the kernel: the time it had over the time it has
  double low = 1, high = 1;  // 95 % interval of that
  int experiments = 0;
  int without_gain = 0;  // experiments in a row, the last ones
  double hours = 0;
  bool is_plateau = false;
};

enum class Advice : std::uint8_t {
  extract,    // there is no case of it yet
  begin,      // nobody has worked on it
  go_on,      // it is getting faster
  revisit,    // it was given up, and is by now what has most to gain
  done,       // it is near its limit
  give_up,    // many experiments in a row have gained nothing
  too_small,  // whatever is done about it, the program would hardly be faster
};
[[nodiscard]] const char* spelling(Advice advice);

struct PlanItem {
  RankedKernel kernel;
  std::optional<ExtractedCase> extracted;
  Effort effort;
  double share = 0;  // of the whole span, at first
  // The part of its time that could be saved at most, 0 to 1: down to its limit where that is
  // known, else as much as is assumed of a kernel of which nothing is known.
  double headroom = 0;
  bool headroom_is_known = false;
  double gained = 0;  // part of the whole span that was saved, 0 to 1
  double still = 0;   // part of the whole span that could still be saved (Amdahl's law)
  Advice advice = Advice::begin;
  std::string why;  // a sentence
};

struct Plan {
  std::string program;
  std::string part;
  double span_us = 0;  // of one repetition
  double idle_share = 0;
  std::vector<PlanItem> items;  // by what could still be saved, the most first
  // The whole's time over its time with the kernels that were kept, if it is the GPU that it waits
  // for: expected, and from the intervals of all gains.
  double speedup = 1, low = 1, high = 1;
  // The item to work on next; none where nothing is worth it.
  std::optional<std::size_t> next;
};

[[nodiscard]] Plan plan_of(const Ranking& ranking, const std::vector<ExtractedCase>& cases,
                           const std::vector<Effort>& efforts);

// For a terminal; of at most so many kernels.
[[nodiscard]] std::string plan_text(const Plan& plan, int most);
// The same as a page of Markdown, to be kept or sent.
[[nodiscard]] std::string plan_report(const Plan& plan, int most);
[[nodiscard]] std::string plan_json(const Plan& plan);

}  // namespace autokernel::programs
