// The file that a profile is kept in, for `extract` and `plan`: the ranking as JSON.
#pragma once

#include <filesystem>
#include <string>

#include "autokernel/programs/ranking.h"

namespace autokernel::programs {

// One object and the end of the line; `program_version` names who wrote it.
[[nodiscard]] std::string ranking_json(const Ranking& ranking, const std::string& program_version);

// Throws Error(usage) where it is no such file, or another version of one.
[[nodiscard]] Ranking read_ranking(const std::filesystem::path& file);

}  // namespace autokernel::programs
