// The conditions of a measurement as people read them, and as they stand in its record.
#pragma once

#include <optional>
#include <string>

#include "autokernel/trial/conditions.h"

namespace autokernel::cli {

// "SM 1755 to 1980 MHz, memory 3201 MHz, up to 59 C, up to 691 W; it reaches its power limit";
// empty where nothing is known.
[[nodiscard]] std::string conditions_text(const trial::Conditions& conditions);

// One JSON object; docs/json.md describes its fields.
[[nodiscard]] std::string conditions_object(const trial::Conditions& conditions);

// Those in a record, as `bench --json` prints it. None where it has none, or is damaged.
[[nodiscard]] std::optional<trial::Conditions> recorded_conditions(const std::string& record);

}  // namespace autokernel::cli
