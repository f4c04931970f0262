// Files that a command makes for its user, all of them or none.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace autokernel::cli {

// A file to be there, by its path from a root.
struct NewFile {
  std::filesystem::path path;
  std::string bytes;
  // What the file holds so far, which it is made from (.gitignore); none: it must not be there yet.
  std::optional<std::string> before = {};
};

// Writes them in this order; each is there whole or not at all. Where one cannot be written, those
// before it are as they were, and an Error is thrown: usage where something is in the way, or has
// become another file since `before` was read.
void write_new_files(const std::filesystem::path& root, const std::vector<NewFile>& files);

}  // namespace autokernel::cli
