#include "programs/profile/repetition.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace autokernel::programs {
namespace {

constexpr std::size_t kFewest = 3;
// Candidates for the length that are tried, the most frequent first.
constexpr std::size_t kMostCandidates = 64;

struct Run {
  std::size_t begin = 0;  // of launches each of which equals the one a length before it
  std::size_t size = 0;
};

// The longest stretch that repeats itself with that length.
[[nodiscard]] Run longest_run(const std::vector<std::uint32_t>& launches, std::size_t length) {
  Run best;
  Run run{.begin = length, .size = 0};
  for (std::size_t i = length; i < launches.size(); ++i) {
    if (launches[i] == launches[i - length]) {
      if (run.size++ == 0) run.begin = i;
      if (run.size > best.size) best = run;
    } else {
      run.size = 0;
    }
  }
  return best;
}

// Distances between launches of one kind and the next of that kind, where they are the same several
// times running: a length of a repetition is the distance of whatever it has once.
[[nodiscard]] std::vector<std::size_t> candidates(const std::vector<std::uint32_t>& launches) {
  struct Seen {
    std::size_t last = 0;
    std::size_t distance = 0;
  };
  std::unordered_map<std::uint32_t, Seen> seen;
  std::map<std::size_t, std::size_t> covered;  // launches that a distance explains
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto [found, is_new] = seen.try_emplace(launches[i], Seen{.last = i, .distance = 0});
    if (is_new) continue;
    const std::size_t distance = i - found->second.last;
    if (distance == found->second.distance) covered[distance] += distance;
    found->second = {.last = i, .distance = distance};
  }
  std::vector<std::pair<std::size_t, std::size_t>> sorted;
  sorted.reserve(covered.size());
  for (const auto& [distance, launched] : covered) sorted.emplace_back(launched, distance);
  std::ranges::sort(sorted, std::greater<>{});
  std::vector<std::size_t> lengths;
  for (const auto& [launched, distance] : sorted) {
    if (lengths.size() == kMostCandidates) break;
    lengths.push_back(distance);
  }
  return lengths;
}

[[nodiscard]] double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Where of all places a repetition begins: that with the longest pause before it, if that is
// clearly longer than before the first; single pauses are chance.
[[nodiscard]] std::size_t phase_of(std::size_t begin, std::size_t end, std::size_t length,
                                   const std::vector<double>& idle_before) {
  std::vector<double> pauses;
  for (std::size_t place = 0; place < length; ++place) {
    std::vector<double> all;
    // What comes before the stretch is no pause of its own.
    for (std::size_t i = begin + (place == 0 ? length : place); i < end; i += length) {
      all.push_back(idle_before[i]);
    }
    pauses.push_back(median_of(std::move(all)));
  }
  const auto longest = std::ranges::max_element(pauses);
  constexpr double kClearly = 2;
  if (*longest <= kClearly * pauses.front()) return 0;
  return static_cast<std::size_t>(std::distance(pauses.begin(), longest));
}

// Repetitions that belong together, such as the layers of a model that is run again and again:
// long pauses between them come at equal distances, from the beginning to the end.
struct Group {
  std::size_t first;  // the repetition before which the first long pause is
  std::size_t size;
};

[[nodiscard]] std::optional<Group> groups_in(const std::vector<double>& pauses) {
  if (pauses.size() < kFewest) return std::nullopt;
  const double median = median_of(pauses);
  constexpr double kLong = 4;  // times the median
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < pauses.size(); ++i) {
    if (pauses[i] > kLong * median && pauses[i] > 0) places.push_back(i);
  }
  if (places.size() < kFewest) return std::nullopt;
  // The first may be that before everything.
  const std::size_t size = places[2] - places[1];
  for (std::size_t i = 2; i < places.size(); ++i) {
    if (places[i] - places[i - 1] != size) return std::nullopt;
  }
  if (size < 2) return std::nullopt;
  const bool reaches_end = places.back() + size + 1 >= pauses.size();
  const bool reaches_begin = places[1] <= 2 * size;
  if (!reaches_end || !reaches_begin) return std::nullopt;
  const std::size_t regular = places[1] - places[0] == size ? places[0] : places[1];
  return Group{.first = regular >= size ? regular - size : regular, .size = size};
}

}  // namespace

std::optional<Repetition> repetition_in(const std::vector<std::uint32_t>& launches,
                                        const std::vector<double>& idle_before) {
  // The longest stretch decides. A short length that explains nearly as much is a part of the true
  // one only if it explains all of it, so among equals the shortest is taken.
  std::size_t length = 0;
  Run best;
  for (const std::size_t candidate : candidates(launches)) {
    const Run run = longest_run(launches, candidate);
    if (run.size + candidate < kFewest * candidate) continue;
    const std::size_t covered = run.size + candidate;
    const std::size_t most = best.size + length;
    if (covered > most || (covered == most && candidate < length)) {
      best = run;
      length = candidate;
    }
  }
  if (length == 0) return std::nullopt;

  const std::size_t begin = best.begin - length;
  const std::size_t end = best.begin + best.size;
  std::size_t first = begin + phase_of(begin, end, length, idle_before);
  std::vector<double> between;  // at which a repetition begins
  for (std::size_t i = first; i < end; i += length) between.push_back(idle_before[i]);
  if (const std::optional<Group> group = groups_in(between)) {
    const std::size_t grouped = first + group->first * length;
    if (grouped < end && (end - grouped) / (length * group->size) >= kFewest) {
      first = grouped;
      length *= group->size;
    }
  }
  const std::size_t count = (end - first) / length;
  if (count + 1 < kFewest) return std::nullopt;
  return Repetition{.first = first, .length = length, .count = count};
}

}  // namespace autokernel::programs
