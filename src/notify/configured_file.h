// The file with the user's targets, read only where nobody else can have written it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace autokernel::notify {

// Its text; none where there is no such file. Throws Error(usage) for one that is larger than a
// few kilobytes, is somebody else's, is open to others, has a second name, or lies within
// `repository` (empty: none), be it through symbolic links.
[[nodiscard]] std::optional<std::string> read_configured_file(
    const std::filesystem::path& file, const std::filesystem::path& repository);

}  // namespace autokernel::notify
