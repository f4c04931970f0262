// What the columns of a report of Nsight Systems mean, and whether a row can mean it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "autokernel/programs/profile.h"
#include "programs/profile/sqlite_file.h"

namespace autokernel::programs {

// As profile.h spells the kind of a copy.
[[nodiscard]] std::string copy_kind_of(std::int64_t kind);

// Whether each of these columns has an integer or nothing: anything else is damage.
[[nodiscard]] bool is_sound(const SqliteRow& row, int from, int to);

struct Span {
  Nanoseconds start = 0, end = 0;
};

// None where one is missing, or where they mean nothing.
[[nodiscard]] std::optional<Span> span_of(std::optional<std::int64_t> start,
                                          std::optional<std::int64_t> end);

// Of three columns from this one; 1 where there is none. None where one has no size.
[[nodiscard]] std::optional<Extent> extent_in(const SqliteRow& row, int column);

}  // namespace autokernel::programs
