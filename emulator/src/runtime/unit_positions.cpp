#include "runtime/unit_positions.h"

#include <algorithm>
#include <tuple>

namespace emulator::runtime {
namespace {

// More places than this are no help.
constexpr std::size_t kMostPlaces = 6;

struct Place {
  std::string words;
  bool stands;  // somewhere: neither ended nor not begun
  std::uint64_t units;
};

bool stands(Standing standing) {
  return standing != Standing::ended && standing != Standing::not_begun;
}

std::string words_of(const StandingGroup& group, const LineNames* lines) {
  switch (group.standing) {
    case Standing::ended:
      return "ended";
    case Standing::not_begun:
      return "not begun";
    case Standing::running:
      return group.line == 0 ? "before the end of any loop's first round"
                             : "at " + line_place(lines, group.line);
    case Standing::at_barrier:
      return "at " + line_place(lines, group.line) + " (waiting at a barrier)";
    case Standing::at_meeting:
      return "at " + line_place(lines, group.line) + " (waiting for others of the warp)";
    case Standing::at_launches:
      return "at " + line_place(lines, group.line) + " (waiting for the launches before)";
  }
  return "";
}

}  // namespace

void UnitPositions::add(std::vector<WarpContext>& contexts, std::uint32_t units) {
  const auto standing_of = [&](std::uint32_t index) {
    return static_cast<Standing>(
        std::atomic_ref(contexts[index].standing).load(std::memory_order_relaxed));
  };
  std::uint32_t begun = 0;
  std::uint32_t ended = 0;
  for (std::uint32_t i = 0; i < units; ++i) {
    const Standing standing = standing_of(i);
    begun += standing == Standing::not_begun ? 0 : 1;
    ended += standing == Standing::ended ? 1 : 0;
  }
  if (begun == 0 || ended == units) return;
  ++blocks;
  for (std::uint32_t i = 0; i < units; ++i) {
    const Standing standing = standing_of(i);
    const bool stands = standing != Standing::ended && standing != Standing::not_begun;
    count(standing,
          stands ? std::atomic_ref(contexts[i].at_line).load(std::memory_order_relaxed) : 0);
  }
}

void UnitPositions::count(Standing standing, std::uint32_t line) {
  const auto found = std::ranges::find_if(groups, [&](const StandingGroup& group) {
    return group.standing == standing && group.line == line;
  });
  if (found == groups.end()) {
    groups.push_back({standing, line, 1});
  } else {
    ++found->units;
  }
}

std::string UnitPositions::text(const LineNames* lines) const {
  // Several lines of PTX are one of the source.
  std::vector<Place> places;
  for (const StandingGroup& group : groups) {
    const std::string words = words_of(group, lines);
    const auto found = std::ranges::find(places, words, &Place::words);
    if (found == places.end()) {
      places.push_back({words, stands(group.standing), group.units});
    } else {
      found->units += group.units;
    }
  }
  std::ranges::sort(places, std::ranges::greater(), [](const Place& place) {
    return std::tuple(place.stands, place.units, place.words);
  });
  std::string text;
  std::uint64_t unnamed = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i >= kMostPlaces) {
      unnamed += places[i].units;
      continue;
    }
    text += (i == 0 ? "" : ", ") + std::to_string(places[i].units);
    if (i == 0) text += unit == Unit::warp ? " warp" : " thread";
    if (i == 0 && places[i].units != 1) text += "s";
    text += " " + places[i].words;
  }
  if (unnamed != 0) text += ", " + std::to_string(unnamed) + " elsewhere";
  if (blocks > 1) text += "; " + std::to_string(blocks) + " blocks are under way";
  return text;
}

}  // namespace emulator::runtime
