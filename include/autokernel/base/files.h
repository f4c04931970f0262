// Whole files in and out: a file is read completely or not at all, and replaced completely or not
// at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "autokernel/base/error.h"

namespace autokernel {

// No file this program reads is larger; what is (a device file, a mistake) is refused before it
// fills the memory.
inline constexpr std::uint64_t kLargestFile = 64ULL << 20;

// The bytes of a file. `role` says in an error what the file was wanted for, e.g. "the kernel".
// Throws Error(usage) for a file that is missing, unreadable, larger than `limit`, or no regular
// file: the path came from the user. It never waits, as the opening of a named pipe would.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::string_view role,
                                    std::uint64_t limit = kLargestFile);
// The same for a file below `folder` that somebody else may put something in the place of: neither
// it nor a folder on the way to it may be a symbolic link. None where there is no such file.
[[nodiscard]] std::optional<std::string> read_file_below(const std::filesystem::path& folder,
                                                         const std::filesystem::path& path,
                                                         std::string_view role,
                                                         std::uint64_t limit = kLargestFile);

// Adds a line, which ends in a newline, to a file below `folder`, which is made where it is missing
// in a folder that is there. Neither it nor a folder on the way to it may be a symbolic link. Two
// programs that add at once do not mix their lines, and one that was ended within a line spoils no
// later one. Throws Error(environment).
void append_line_below(const std::filesystem::path& folder, const std::filesystem::path& path,
                       std::string_view line);

// Replaces `path` by a file with these bytes. A reader, or a machine that loses power, sees the old
// file or the new one, never a part. Throws Error(environment); the old file is then unchanged and
// nothing is left beside it. What can be made again need not be Sync::yes: after a loss of power it
// may then be empty.
enum class Sync : std::uint8_t { no, yes };
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes,
                           Sync sync = Sync::yes);
// The same for a file that must not be there yet: one that is, even since a moment ago, or a link,
// stays as it is, and Error(usage) is thrown. After any Error nothing of ours is left.
void create_file_atomically(const std::filesystem::path& path, std::string_view bytes);
// Makes a folder and those above it, as far as they are missing. Throws Error(stop) where it
// cannot.
void make_folders(const std::filesystem::path& folder, Stop stop = Stop::environment);
// The same for a path from `folder` that somebody else may put something in the place of: a link on
// the way is refused, which would have us write into, and clear up, a folder of somebody else's.
void make_folders_below(const std::filesystem::path& folder, const std::filesystem::path& path,
                        Stop stop = Stop::environment);
// Removes what programs that were killed while they replaced `path` have left beside it; whether
// there was any. Nobody else may be replacing it now. What cannot be removed stays.
bool remove_unfinished_writes(const std::filesystem::path& path);

}  // namespace autokernel
