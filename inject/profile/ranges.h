// The ranges that threads are in the midst of; each becomes a line when it ends.
#pragma once

#include <cstdint>
#include <string_view>

#include "lock.h"
#include "range_text.h"
#include "recorder.h"

namespace recording {

// Of NVTX: libraries name theirs, so that their ranges do not mix with the program's. The number is
// that of a name; 0: the program's own.
struct RangeDomain {
  std::uint32_t number = 0;
  std::string_view name;
};

struct OpenRange {
  std::uint64_t start = 0;
  std::uint64_t thread = 0;
  RangeDomain domain;
  RangeText text;
};

struct ThreadRanges;

class Ranges {
 public:
  explicit Ranges(Recorder& recorder) : recorder_(recorder) {}

  // How many ranges of the domain the thread is in the midst of, without this one; -1: not known.
  int push(const RangeDomain& domain, const RangeText& text);
  int pop(const RangeDomain& domain);
  // 0 where too many are open.
  std::uint64_t start(const RangeDomain& domain, const RangeText& text);
  void end(std::uint64_t id);
  // Those that are still open end now: the process does.
  void end_all();

 private:
  friend void end_ranges_of_thread(void* ranges);

  // Ranges that start in one thread and may end in another.
  static constexpr std::uint32_t kMostStarted = 4096;
  struct Started {
    std::uint32_t uses = 0;  // tells the range from earlier ones in this place
    bool is_open = false;
    OpenRange range;
  };

  [[nodiscard]] ThreadRanges* of_this_thread();
  void end_thread(ThreadRanges& thread);
  void write(const OpenRange& range, std::uint64_t end);

  Recorder& recorder_;
  Lock threads_lock_;
  ThreadRanges* threads_ = nullptr;
  Lock started_lock_;
  Started* started_ = nullptr;
  std::uint32_t next_started_ = 0;
};

// Those of this process; null where nothing is recorded.
[[nodiscard]] Ranges* ranges();

}  // namespace recording
