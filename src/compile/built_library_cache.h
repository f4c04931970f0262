// What a compiler made of a host program, kept for the next time: templates of C++ take it half a
// minute.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/base/file_cache.h"

namespace autokernel::compile {

// Files that the text of a makefile names as what its target is made from, as compilers write it.
[[nodiscard]] std::vector<std::filesystem::path> dependencies_in(std::string_view makefile);

// That below the user's cache folder.
[[nodiscard]] FileCache built_libraries();

// A library is found again where no file that it was built from has changed its size or time since.
// `key` is all that it depends on beside those files.
[[nodiscard]] std::optional<std::string> find_built_library(const FileCache& cache,
                                                            const std::string& key);
// Does nothing where the folder cannot be written, or one of the files is gone.
void keep_built_library(const FileCache& cache, const std::string& key, std::string_view library,
                        const std::vector<std::filesystem::path>& built_from);

}  // namespace autokernel::compile
