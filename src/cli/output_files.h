// Files that a user names to be written.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace autokernel::cli {

// Throws Error(usage) where the file is there and is a source or a record by its name (kernel.cu,
// case.toml, results.tsv): nobody means to lose that. `what` is to be written: "the log".
void refuse_to_overwrite_source(const std::filesystem::path& file, std::string_view what);

// Throws Error(usage) where no file of that name can be made: it is a folder, or lies in none.
// `attempt` is what it is for: "draw to".
void require_folder_of(const std::filesystem::path& file, std::string_view attempt);

// By their paths, into a folder that is made where it is missing.
void write_files_below(const std::filesystem::path& folder,
                       const std::map<std::string, std::string>& files);

// Throws Error(usage) where it is a file that has something in it.
void refuse_to_overwrite(const std::filesystem::path& file, std::string_view what);

}  // namespace autokernel::cli
