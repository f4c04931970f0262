// Where the command line keeps what outlives a run. Only names: nothing is made.
#pragma once

#include <filesystem>
#include <optional>

namespace autokernel::cli {

// The root of the git repository that holds `directory`, if one does.
[[nodiscard]] std::optional<std::filesystem::path> repository_of(
    const std::filesystem::path& directory);

// Where logs of a case in `directory` go: .autokernel/logs in its repository, else the cache.
[[nodiscard]] std::filesystem::path logs_folder(const std::filesystem::path& directory);

}  // namespace autokernel::cli
