#include "autokernel/compile/reachable_headers.h"

#include <filesystem>
#include <optional>
#include <vector>

#include "autokernel/compile/inclusion.h"

namespace autokernel::compile {
namespace {

namespace fs = std::filesystem;

// By which names a file in `folder` may mean a header that it includes as `name`; what lies beside
// it comes first.
std::vector<std::string> meanings(const std::string& name, bool is_quoted, const fs::path& folder) {
  std::vector<std::string> names;
  if (is_quoted) names.push_back((folder / name).lexically_normal().generic_string());
  names.push_back(fs::path(name).lexically_normal().generic_string());
  return names;
}

std::optional<std::string> own_file(const Source& source, const std::string& name, bool is_quoted,
                                    const fs::path& folder) {
  for (const std::string& each : meanings(name, is_quoted, folder)) {
    if (source.files.contains(each)) return each;
  }
  return std::nullopt;
}

class Search {
 public:
  explicit Search(std::span<const Headers* const> folders) : folders_(folders) {}

  // Notes what one of the source's own files, in `folder`, includes of the libraries.
  void enter(const std::string& text, const fs::path& folder, const Source& source) {
    static_cast<void>(with_names_resolved(text, [&](const std::string& name, bool is_quoted) {
      return own_file(source, name, is_quoted, folder) ? std::nullopt
                                                       : found(name, is_quoted, folder);
    }));
  }
  // Follows what has been found, until there is nothing new.
  [[nodiscard]] Headers finish() && {
    while (!unread_.empty()) {
      const auto header = unread_.back();
      unread_.pop_back();
      const fs::path folder = fs::path(header->first).parent_path();
      header->second = with_names_resolved(
          std::move(header->second),
          [&](const std::string& name, bool is_quoted) { return found(name, is_quoted, folder); });
    }
    return std::move(found_);
  }

 private:
  std::optional<std::string> found(const std::string& name, bool is_quoted,
                                   const fs::path& folder) {
    for (std::string& each : meanings(name, is_quoted, folder)) {
      if (take(each)) return std::move(each);
    }
    return std::nullopt;
  }
  // Whether there is such a header.
  bool take(const std::string& name) {
    if (found_.contains(name)) return true;
    for (const Headers* folder : folders_) {
      const auto header = folder->find(name);
      if (header == folder->end()) continue;
      unread_.push_back(found_.insert(*header).first);
      return true;
    }
    return false;
  }

  std::span<const Headers* const> folders_;
  Headers found_;
  std::vector<Headers::iterator> unread_;
};

}  // namespace

Headers reachable_headers(const Source& source, std::span<const Headers* const> folders) {
  Search search(folders);
  search.enter(source.text, {}, source);
  for (const auto& [name, text] : source.files)
    search.enter(text, fs::path(name).parent_path(), source);
  return std::move(search).finish();
}

std::map<std::string, std::string> own_files_in_use(const Source& source) {
  std::map<std::string, std::string> in_use;
  std::vector<std::string> unread;
  const auto look = [&](const std::string& text, const fs::path& folder) {
    static_cast<void>(with_names_resolved(text, [&](const std::string& name, bool is_quoted) {
      const auto file = own_file(source, name, is_quoted, folder);
      if (file && in_use.emplace(*file, source.files.at(*file)).second) unread.push_back(*file);
      return std::optional<std::string>();
    }));
  };
  look(source.text, {});
  while (!unread.empty()) {
    const std::string file = unread.back();
    unread.pop_back();
    look(source.files.at(file), fs::path(file).parent_path());
  }
  return in_use;
}

Source with_own_names_resolved(const Source& source) {
  Source resolved = source;
  const auto resolve = [&source](std::string& text, const fs::path& folder) {
    text = with_names_resolved(std::move(text), [&](const std::string& name, bool is_quoted) {
      return own_file(source, name, is_quoted, folder);
    });
  };
  resolve(resolved.text, {});
  for (auto& [name, text] : resolved.files) resolve(text, fs::path(name).parent_path());
  return resolved;
}

}  // namespace autokernel::compile
