// Whole files in and out, for what can be made again: where that fails, nothing is said of why.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace emulator::base {

// The bytes of a regular file of at most `most_bytes`; none of any other. It never waits, as the
// opening of a named pipe would.
[[nodiscard]] std::optional<std::string> read_file(const std::filesystem::path& path,
                                                   std::uint64_t most_bytes);

// Puts a file with these bytes in the place of `path`: a reader sees the old file or the new one,
// never a part. Until then it is written beside it, as `.NAME.` and some characters; a process that
// is killed leaves that behind. Does nothing where it cannot.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace emulator::base
