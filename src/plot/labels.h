// Puts names beside points so that none covers another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace autokernel::plot {

// Pixels, y upwards.
struct Point {
  double x = 0;
  double y = 0;
};
struct Box {
  double left = 0;
  double bottom = 0;
  double right = 0;
  double top = 0;
  [[nodiscard]] bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && bottom < other.top && other.bottom < top;
  }
};

struct Milestone {
  Point at;
  std::string text;
  double weight = 0;  // the heaviest are placed first
};

enum class Align : std::uint8_t { left, center, right };

struct Label {
  Box box;
  Align align = Align::left;  // which side of the text lies at the box's edge, whatever its font
  Point at;                   // the point it belongs to
  std::string text;
};

// As many labels as find room, the fourteen heaviest at most, within `area`, at a font of so many
// pixels. `lines` are boxes that text must not cross. The points are those of a line that only
// rises.
[[nodiscard]] std::vector<Label> place_labels(std::vector<Milestone> milestones, const Box& area,
                                              double font, const std::vector<Box>& lines);

// Text cut to so many characters, with an ellipsis where it was.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t characters);
// How wide text is about, as a multiple of the font's size.
[[nodiscard]] double width_of(std::string_view text);

}  // namespace autokernel::plot
