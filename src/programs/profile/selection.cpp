#include "autokernel/programs/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "programs/profile/repetition.h"

namespace autokernel::programs {
namespace {

constexpr std::size_t kMostNamed = 12;  // in a message

// '*' stands for any characters.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resumed = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resumed = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resumed;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// Stretches of time, each of one thread or (thread kUnknown) of a whole process; put together where
// they overlap, so that a time is looked up among many in few steps.
class Windows {
 public:
  void add(std::uint32_t process, std::int64_t thread, Nanoseconds start, Nanoseconds end) {
    stretches_[{process, thread}].emplace_back(start, end);
  }
  void finish() {
    for (auto& [owner, stretches] : stretches_) {
      std::ranges::sort(stretches);
      std::vector<Stretch> merged;
      for (const Stretch& stretch : stretches) {
        if (merged.empty() || stretch.first > merged.back().second) {
          merged.push_back(stretch);
        } else {
          merged.back().second = std::max(merged.back().second, stretch.second);
        }
      }
      stretches = std::move(merged);
    }
  }
  // Whether both times lie within one stretch of that thread, or of the process.
  [[nodiscard]] bool hold(std::uint32_t process, std::int64_t thread, Nanoseconds begin,
                          Nanoseconds end) const {
    return holds({process, thread}, begin, end) ||
           (thread != kUnknown && holds({process, kUnknown}, begin, end));
  }
  // The same for work of which nobody knows which thread asked for it.
  [[nodiscard]] bool hold_of_any_thread(std::uint32_t process, Nanoseconds begin,
                                        Nanoseconds end) const {
    for (auto owner = stretches_.lower_bound({process, kUnknown});
         owner != stretches_.end() && owner->first.first == process; ++owner) {
      if (holds(owner->first, begin, end)) return true;
    }
    return false;
  }

 private:
  using Owner = std::pair<std::uint32_t, std::int64_t>;
  using Stretch = std::pair<Nanoseconds, Nanoseconds>;

  [[nodiscard]] bool holds(const Owner& owner, Nanoseconds begin, Nanoseconds end) const {
    const auto found = stretches_.find(owner);
    if (found == stretches_.end()) return false;
    const auto after = std::ranges::upper_bound(found->second, begin, {}, &Stretch::first);
    return after != found->second.begin() && end <= std::prev(after)->second;
  }

  std::map<Owner, std::vector<Stretch>> stretches_;
};

// Whether work belongs to the windows: it was asked for within; where nobody knows when, it ran
// within.
[[nodiscard]] bool is_within(const Windows& windows, const auto& work) {
  if (work.called == kUnknown || work.thread == kUnknown) {
    return windows.hold_of_any_thread(work.place.process, work.start, work.end);
  }
  return windows.hold(work.place.process, work.thread, work.called, work.called);
}

[[nodiscard]] std::string named_ranges(const Profile& profile) {
  std::map<std::string, int> counts;
  for (const Range& range : profile.ranges) ++counts[range.text];
  if (counts.empty()) return "the program marked no range with NVTX";
  std::string text = "there are";
  std::size_t named = 0;
  for (const auto& [name, count] : counts) {
    if (named++ == kMostNamed) {
      text += fmt::format(" and {} more", counts.size() - kMostNamed);
      break;
    }
    text += fmt::format("{} '{}' ({})", named == 1 ? "" : ",", visible_line(name), count);
  }
  return text;
}

// Takes `most` of those after the first `warmup`; throws where none is left.
template <typename Item>
void cut(std::vector<Item>& items, const Selection& selection, const std::string& what) {
  const auto warmup = static_cast<std::size_t>(selection.warmup);
  if (warmup >= items.size()) {
    throw Error(Stop::usage, fmt::format("--warmup {} leaves nothing: the profile has {} {}",
                                         selection.warmup, items.size(), what));
  }
  items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(warmup));
  if (selection.most > 0 && items.size() > static_cast<std::size_t>(selection.most)) {
    items.resize(static_cast<std::size_t>(selection.most));
  }
}

[[nodiscard]] Selected in_ranges(Profile profile, const Selection& selection) {
  std::vector<const Range*> ranges;
  for (const Range& range : profile.ranges) {
    if (matches(selection.range, range.text)) ranges.push_back(&range);
  }
  const std::string name = visible_line(selection.range);
  if (ranges.empty()) {
    throw Error(Stop::usage,
                fmt::format("no range is called '{}': {}", name, named_ranges(profile)));
  }
  const std::size_t all = ranges.size();
  cut(ranges, selection, fmt::format("ranges '{}'", name));
  Windows windows;
  for (const Range* range : ranges) {
    windows.add(range->process, range->thread, range->start, range->end);
  }
  windows.finish();
  const auto is_outside = [&](const auto& work) { return !is_within(windows, work); };
  std::erase_if(profile.launches, is_outside);
  std::erase_if(profile.transfers, is_outside);
  if (profile.launches.empty() && profile.transfers.empty()) {
    throw Error(Stop::usage, fmt::format("nothing was launched within the ranges '{}'", name));
  }
  return {
      .profile = std::move(profile),
      .part = fmt::format("{} of {} range{} '{}'", ranges.size(), all, all == 1 ? "" : "s", name),
      .repetitions = static_cast<int>(ranges.size())};
}

// The launches of the stream that has most of them, which others of that process accompany.
[[nodiscard]] std::vector<std::size_t> main_stream(const Profile& profile) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>, std::vector<std::size_t>>
      streams;
  for (std::size_t i = 0; i < profile.launches.size(); ++i) {
    const Place& place = profile.launches[i].place;
    streams[{place.process, place.device, place.stream}].push_back(i);
  }
  const auto longest = std::ranges::max_element(
      streams, {}, [](const auto& stream) { return stream.second.size(); });
  return longest == streams.end() ? std::vector<std::size_t>{} : longest->second;
}

[[nodiscard]] Selected in_iterations(Profile profile, const Selection& selection) {
  const std::vector<std::size_t> stream = main_stream(profile);
  std::map<std::tuple<std::uint32_t, Extent, Extent, std::int64_t>, std::uint32_t> kinds;
  std::vector<std::uint32_t> sequence;
  std::vector<double> idle;
  Nanoseconds reached = stream.empty() ? 0 : profile.launches[stream.front()].start;
  for (const std::size_t index : stream) {
    const Launch& launch = profile.launches[index];
    const auto kind =
        kinds.try_emplace({launch.name, launch.grid, launch.block, launch.dynamic_shared},
                          static_cast<std::uint32_t>(kinds.size()));
    sequence.push_back(kind.first->second);
    idle.push_back(static_cast<double>(std::max<Nanoseconds>(launch.start - reached, 0)));
    reached = std::max(reached, launch.end);
  }
  const std::optional<Repetition> repetition = repetition_in(sequence, idle);
  if (!repetition) {
    throw Error(Stop::usage,
                "the launches show no repetition, three times the same or more: mark the part that "
                "counts with an NVTX range and pass --range NAME");
  }
  std::vector<std::size_t> begins;
  begins.reserve(repetition->count);
  for (std::size_t i = 0; i < repetition->count; ++i) {
    begins.push_back(repetition->first + i * repetition->length);
  }
  const std::size_t all = begins.size();
  cut(begins, selection, "iterations");
  // By when it ran: what is launched ahead of time belongs to the iteration that it is a part of.
  const std::size_t next = begins.back() + repetition->length;
  const Nanoseconds begin = profile.launches[stream[begins.front()]].start;
  const Nanoseconds end = next < stream.size() ? profile.launches[stream[next]].start
                                               : profile.launches[stream[next - 1]].end + 1;
  const std::uint32_t process = profile.launches[stream.front()].place.process;
  const auto is_outside = [&](const auto& work) {
    return work.place.process != process || work.start < begin || work.start >= end;
  };
  std::erase_if(profile.launches, is_outside);
  std::erase_if(profile.transfers, is_outside);
  return {.profile = std::move(profile),
          .part = fmt::format("{} of {} iterations of {} launches", begins.size(), all,
                              repetition->length),
          .repetitions = static_cast<int>(begins.size())};
}

}  // namespace

Selected selected(Profile profile, const Selection& selection) {
  if (!selection.range.empty()) return in_ranges(std::move(profile), selection);
  if (selection.iterations) return in_iterations(std::move(profile), selection);
  return {.profile = std::move(profile), .part = {}, .repetitions = 1};
}

}  // namespace autokernel::programs
