#include "loaded_library.h"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <cstring>

namespace recording {
namespace {

struct Search {
  std::string_view name;
  std::array<char, 4096> path;
  bool found;
};

int look_at(dl_phdr_info* library, std::size_t /*size*/, void* data) {
  auto* const search = static_cast<Search*>(data);
  const std::string_view path = library->dlpi_name;
  const std::size_t after_slash = path.rfind('/') + 1;  // 0 where there is none
  const std::string_view file{path.data() + after_slash, path.size() - after_slash};
  if (!file.starts_with(search->name) || path.size() >= search->path.size()) return 0;
  std::memcpy(search->path.data(), path.data(), path.size());
  search->path[path.size()] = '\0';
  search->found = true;
  return 1;
}

}  // namespace

// The path is kept, and opened when the walk is over: the loader's lock is held during the walk.
void* loaded_library(std::string_view name) {
  Search search{.name = name, .path = {}, .found = false};
  ::dl_iterate_phdr(look_at, &search);
  return search.found ? ::dlopen(search.path.data(), RTLD_LAZY | RTLD_NOLOAD) : nullptr;
}

}  // namespace recording
