#include "plot/labels.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

namespace autokernel::plot {
namespace {

// Of DejaVu Sans, a wide font: others leave a little more room.
constexpr double kNarrow = 0.62;
// From here on the scripts are those of East Asia, whose letters are squares.
constexpr std::uint32_t kFirstWide = 0x1100;
constexpr double kWide = 1.05;
constexpr double kLineHeight = 1.25;
// Between a point and its label, and between two heights that are tried, in font sizes.
constexpr double kGap = 0.55;
constexpr double kStep = 1.35;
constexpr int kHeights = 5;
// More are not read, and the lightest say little.
constexpr std::size_t kMostLabels = 14;

[[nodiscard]] bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// Enough of the code point to know what kind of letter it is.
[[nodiscard]] bool is_wide(std::string_view letter) {
  if (letter.size() < 3) return false;
  const auto first = static_cast<unsigned char>(letter[0]);
  const auto second = static_cast<unsigned char>(letter[1]);
  if (first >= 0xF0U) return true;
  const std::uint32_t begin = ((first & 0x0FU) << 12U) | ((second & 0x3FU) << 6U);
  // U+2000 to U+2DFF are dashes, arrows and signs.
  return begin >= kFirstWide && (begin < 0x2000 || begin >= 0x2E00);
}

// Where a label may stand, best first: above and left of its point, since the line comes from
// below; then to the right of it, beneath the line.
struct Place {
  Box box;
  Align align;
};
[[nodiscard]] std::vector<Place> places(const Point& at, double width, double font) {
  const double height = kLineHeight * font;
  const double gap = kGap * font;
  std::vector<Place> found;
  for (int i = 0; i < kHeights; ++i) {
    const double bottom = at.y + gap + i * kStep * font;
    found.push_back({{at.x - gap - width, bottom, at.x - gap, bottom + height}, Align::right});
    found.push_back(
        {{at.x - width / 2, bottom + gap, at.x + width / 2, bottom + gap + height}, Align::center});
  }
  for (int i = 0; i < kHeights; ++i) {
    const double top = at.y - gap - i * kStep * font;
    found.push_back({{at.x + gap, top - height, at.x + gap + width, top}, Align::left});
  }
  return found;
}

// The line between a label and its point.
[[nodiscard]] Box tie(const Box& box, const Point& at) {
  constexpr double kHalf = 1;
  const double x = std::clamp(at.x, box.left, box.right);
  const double low = std::min(at.y, box.top);
  const double high = std::max(at.y, box.bottom);
  return {std::min(x, at.x) - kHalf, low, std::max(x, at.x) + kHalf, high};
}

}  // namespace

std::string shortened(std::string_view text, std::size_t characters) {
  std::size_t end = 0;
  for (std::size_t count = 0; end < text.size(); ++count) {
    if (count + 1 == characters) {
      std::size_t next = end + 1;
      while (next < text.size() && continues(text[next])) ++next;
      if (next < text.size()) return std::string(text.substr(0, end)) + "\u2026";
    }
    ++end;
    while (end < text.size() && continues(text[end])) ++end;
  }
  return std::string(text);
}

double width_of(std::string_view text) {
  double width = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin + 1;
    while (end < text.size() && continues(text[end])) ++end;
    width += is_wide(text.substr(begin, end - begin)) ? kWide : kNarrow;
    begin = end;
  }
  return width;
}

std::vector<Label> place_labels(std::vector<Milestone> milestones, const Box& area, double font,
                                const std::vector<Box>& lines) {
  std::ranges::sort(milestones, std::greater{}, &Milestone::weight);
  if (milestones.size() > kMostLabels) milestones.resize(kMostLabels);
  std::vector<Box> texts;  // and what ties them to their points
  std::vector<Label> labels;
  const auto is_free = [](const Box& box, const std::vector<Box>& taken) {
    return std::ranges::none_of(taken, [&](const Box& other) { return box.overlaps(other); });
  };
  for (Milestone& milestone : milestones) {
    const auto fits = [&](const Place& place) {
      const Box& box = place.box;
      return box.left >= area.left && box.right <= area.right && box.bottom >= area.bottom &&
             box.top <= area.top && is_free(box, texts) && is_free(box, lines) &&
             is_free(tie(box, milestone.at), texts);
    };
    const std::vector<Place> tried = places(milestone.at, width_of(milestone.text) * font, font);
    const auto found = std::ranges::find_if(tried, fits);
    if (found == tried.end()) continue;
    texts.push_back(found->box);
    texts.push_back(tie(found->box, milestone.at));
    labels.push_back({found->box, found->align, milestone.at, std::move(milestone.text)});
  }
  return labels;
}

}  // namespace autokernel::plot
