#include "autokernel/compile/reachable_headers.h"

#include <filesystem>
#include <vector>

#include "compile/inclusion.h"

namespace autokernel::compile {
namespace {

class Search {
 public:
  explicit Search(std::span<const Headers* const> folders) : folders_(folders) {}

  // Notes all that a source or header includes. `folder` is the header's own, within the library.
  // Returns its text with the names that it asks for beside itself written out: NVRTC looks for
  // headers in memory by the name as it stands.
  [[nodiscard]] std::string follow(std::string text, const std::filesystem::path& folder) {
    std::size_t grown = 0;
    for (const Inclusion& inclusion : inclusions(std::string(text))) {
      const std::string name = inclusion.header.substr(1, inclusion.header.size() - 2);
      const std::string beside = (folder / name).lexically_normal().generic_string();
      std::string found = beside;
      if (inclusion.header.front() != '"' || !take(found)) {
        found = std::filesystem::path(name).lexically_normal().generic_string();
        if (!take(found)) continue;
      }
      if (found == name) continue;
      text.replace(inclusion.offset + 1 + grown, name.size(), found);
      grown += found.size() - name.size();
    }
    return text;
  }
  // Follows what has been found, until there is nothing new.
  [[nodiscard]] Headers finish() && {
    while (!unread_.empty()) {
      const auto header = unread_.back();
      unread_.pop_back();
      header->second =
          follow(std::move(header->second), std::filesystem::path(header->first).parent_path());
    }
    return std::move(found_);
  }

 private:
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

Headers reachable_headers(const std::string& source, std::span<const Headers* const> folders) {
  Search search(folders);
  static_cast<void>(search.follow(source, {}));
  return std::move(search).finish();
}

}  // namespace autokernel::compile
