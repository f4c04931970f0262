// Git's settings outside any commit that decide which files it looks at and which bytes it writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "repo/open_repository.h"

namespace autokernel::repo {

// The user's own file of attributes or of ignored names, as core.attributesFile and
// core.excludesFile say or in its usual place; none where there is no place for it.
enum class RulesFile : std::uint8_t { attributes, excludes };
[[nodiscard]] std::optional<std::filesystem::path> rules_file(const OpenRepository& open,
                                                              RulesFile which);

}  // namespace autokernel::repo
