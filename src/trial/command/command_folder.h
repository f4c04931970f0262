// The folders that commands work in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace autokernel::trial {

using FilesByPath = std::map<std::string, std::string>;

// Writes them below the folder, whose parents are made. What begins with "#!" can be run.
void write_files(const std::filesystem::path& folder, const FilesByPath& files);

// All that is below one folder into another, links as links. Why that cannot be done, where what
// lies there is to blame; empty: it is done. Throws Error(environment) where the disk is full.
[[nodiscard]] std::string copy_files(const std::filesystem::path& from,
                                     const std::filesystem::path& to);

// Of all regular files below the folder, as long as they say they are.
[[nodiscard]] std::uint64_t folder_bytes(const std::filesystem::path& folder);

// Regular files by path from the folder, none of them behind a link; and why one is missing, in
// words ("the run left no out.json"); empty: none is.
struct ReadOutputs {
  FilesByPath files;
  std::string fault;
};
[[nodiscard]] ReadOutputs read_outputs(const std::filesystem::path& folder,
                                       const std::vector<std::string>& paths);

}  // namespace autokernel::trial
