// What files and the environment say.
#pragma once

#include <filesystem>

#include "cli/doctor/facts.h"

namespace autokernel::cli::doctor {

// Seen from `here`, where bench would be run. Writes nothing that it does not remove.
[[nodiscard]] HostFacts host_facts(const std::filesystem::path& here);

// The repository that holds `here`.
[[nodiscard]] Repository look_at_repository(const std::filesystem::path& here);

// A folder that may not exist yet: whether it could be made and written to.
[[nodiscard]] Folder look_at_folder(const std::filesystem::path& folder);

}  // namespace autokernel::cli::doctor
