#include "programs/profile/nsight_values.h"

#include <array>
#include <limits>

namespace autokernel::programs {
namespace {

// Later than any time of a report, which counts from its own beginning; what came before is
// negative.
constexpr std::int64_t kLatestTime = std::int64_t{1} << 61;

}  // namespace

std::string copy_kind_of(std::int64_t kind) {
  // In the order of CUpti_ActivityMemcpyKind, and then those of managed memory.
  static constexpr std::array<const char*, 14> kKinds = {"other", "HtoD", "DtoH", "HtoA", "AtoH",
                                                         "AtoA",  "AtoD", "DtoA", "DtoD", "HtoH",
                                                         "PtoP",  "HtoD", "DtoH", "DtoD"};
  return kind < 0 || static_cast<std::size_t>(kind) >= kKinds.size()
             ? "other"
             : kKinds.at(static_cast<std::size_t>(kind));
}

bool is_sound(const SqliteRow& row, int from, int to) {
  for (int column = from; column < to; ++column) {
    if (!row.is_null(column) && !row.integer(column)) return false;
  }
  return true;
}

std::optional<Span> span_of(std::optional<std::int64_t> start, std::optional<std::int64_t> end) {
  if (!start || !end || *start < -kLatestTime || *end > kLatestTime || *start > *end) {
    return std::nullopt;
  }
  return Span{.start = *start, .end = *end};
}

std::optional<Extent> extent_in(const SqliteRow& row, int column) {
  std::array<std::uint32_t, 3> sizes = {1, 1, 1};
  for (int i = 0; i < 3; ++i) {
    const std::int64_t size = row.integer(column + i).value_or(1);
    if (size < 0 || size > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    sizes.at(static_cast<std::size_t>(i)) = static_cast<std::uint32_t>(size);
  }
  return Extent{.x = sizes[0], .y = sizes[1], .z = sizes[2]};
}

}  // namespace autokernel::programs
