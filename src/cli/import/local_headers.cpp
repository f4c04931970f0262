#include "cli/import/local_headers.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"

namespace autokernel::cli {
namespace {
namespace fs = std::filesystem;
}  // namespace

LocalHeaders::LocalHeaders(const fs::path& source, const std::vector<std::string>& folders) {
  folders_.push_back(source.parent_path());
  folders_.insert(folders_.end(), folders.begin(), folders.end());
}

void LocalHeaders::add_those_of(const std::string& text) {
  constexpr std::size_t kMost = 64;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') continue;
    const std::size_t word = line.find("include", hash);
    const std::size_t open = line.find_first_of("\"<", hash);
    if (word == std::string::npos || open == std::string::npos || open < word) continue;
    const std::size_t close = line.find_first_of("\">", open + 1);
    if (close == std::string::npos) continue;
    const std::string name = line.substr(open + 1, close - open - 1);
    if (headers_.contains(name) || headers_.size() >= kMost) continue;
    add(name);
  }
}

void LocalHeaders::add(const std::string& name) {
  // A source of a stranger's names what it likes.
  static const std::set<std::string> kEndings = {".h",   ".hpp", ".cuh", ".cu",
                                                 ".hxx", ".inl", ".inc"};
  constexpr std::uintmax_t kLargest = 4U << 20U;
  const fs::path path = name;
  if (path.is_absolute() || !kEndings.contains(path.extension().string())) return;
  for (const fs::path& folder : folders_) {
    std::error_code unreadable;
    if (!fs::is_regular_file(folder / path, unreadable)) continue;
    if (fs::file_size(folder / path, unreadable) > kLargest || unreadable) continue;
    std::string text;
    try {
      text = read_file(folder / path, "a header of the source");
    } catch (const Error&) {
      continue;  // what needs it does not compile, and says so
    }
    headers_[name] = text;
    add_those_of(text);
    return;
  }
}

}  // namespace autokernel::cli
