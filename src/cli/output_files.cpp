#include "cli/output_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::cli {
namespace {

constexpr std::array<std::string_view, 9> kSources = {".cu", ".cuh",  ".h",   ".cpp",  ".py",
                                                      ".md", ".toml", ".tsv", ".jsonl"};

}  // namespace

void refuse_to_overwrite_source(const std::filesystem::path& file, std::string_view what) {
  std::error_code unreadable;
  const std::string ending = file.extension().string();
  if (std::ranges::find(kSources, ending) == kSources.end()) return;
  if (!std::filesystem::exists(file, unreadable)) return;
  throw Error(Stop::usage,
              fmt::format("cannot write {} to {}: the file is there, and '{}' files are "
                          "sources or records; name another file",
                          what, file.string(), ending));
}

void require_folder_of(const std::filesystem::path& file, std::string_view attempt) {
  const auto fail = [&](const std::string& why) {
    throw Error(Stop::usage,
                fmt::format("cannot {} {}: {}", attempt, visible_line(file.string()), why));
  };
  std::error_code unreadable;
  if (std::filesystem::is_directory(file, unreadable)) fail("it is a folder");
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (!std::filesystem::is_directory(folder, unreadable))
    fail("there is no folder " + visible_line(folder.string()) + "; make it");
}

void write_files_below(const std::filesystem::path& folder,
                       const std::map<std::string, std::string>& files) {
  make_folders(folder, Stop::usage);
  for (const auto& [path, text] : files) {
    make_folders_below(folder, std::filesystem::path(path).parent_path(), Stop::usage);
    write_file_atomically(folder / path, text, Sync::no);
  }
}

void refuse_to_overwrite(const std::filesystem::path& file, std::string_view what) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none) || std::filesystem::is_empty(file, none))
    return;
  throw Error(Stop::usage,
              fmt::format("cannot write {} to {}: the file is there; remove it, or name "
                          "another one",
                          what, file.string()));
}

}  // namespace autokernel::cli
