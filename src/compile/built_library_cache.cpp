// An entry (base/packing.h) is the number of files, of each its path, its size and the time of its
// last change, and then the library.
#include "compile/built_library_cache.h"

#include <sys/stat.h>

#include <cstdint>

#include "autokernel/base/cache_folder.h"
#include "autokernel/base/packing.h"

namespace autokernel::compile {
namespace {

namespace fs = std::filesystem;

// About two hundred libraries of one template each.
constexpr std::uint64_t kMostOfLibraries = 256ULL << 20U;

struct FileState {
  std::uint64_t bytes = 0;
  std::uint64_t changed_ns = 0;

  friend bool operator==(const FileState&, const FileState&) = default;
};

[[nodiscard]] std::optional<FileState> state_of(const fs::path& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  constexpr std::uint64_t kNanoseconds = 1'000'000'000;
  return FileState{.bytes = static_cast<std::uint64_t>(status.st_size),
                   .changed_ns = static_cast<std::uint64_t>(status.st_mtim.tv_sec) * kNanoseconds +
                                 static_cast<std::uint64_t>(status.st_mtim.tv_nsec)};
}

}  // namespace

FileCache built_libraries() { return {cache_folder() / "compiled", ".library", kMostOfLibraries}; }

std::vector<fs::path> dependencies_in(std::string_view makefile) {
  std::vector<fs::path> all;
  std::string name;
  bool is_behind_target = false;
  const auto end_name = [&] {
    if (is_behind_target && !name.empty()) all.emplace_back(name);
    name.clear();
  };
  for (std::size_t at = 0; at < makefile.size(); ++at) {
    const char c = makefile[at];
    const char next = at + 1 < makefile.size() ? makefile[at + 1] : '\0';
    if (c == '\\' && (next == ' ' || next == '#' || next == '\\')) {
      name += next;
      ++at;
    } else if (c == '\\' && next == '\n') {
      end_name();
      ++at;
    } else if (c == '$' && next == '$') {
      name += '$';
      ++at;
    } else if (c == ':' && !is_behind_target && (next == ' ' || next == '\n' || next == '\\')) {
      name.clear();
      is_behind_target = true;
    } else if (c == ' ' || c == '\t') {
      end_name();
    } else if (c == '\n') {
      end_name();
      is_behind_target = false;
    } else {
      name += c;
    }
  }
  end_name();
  return all;
}

std::optional<std::string> find_built_library(const FileCache& cache, const std::string& key) {
  const std::optional<std::string> entry = cache.find(key);
  if (!entry) return std::nullopt;
  Unpacker unpacker(*entry);
  const std::uint64_t files = unpacker.number();
  for (std::uint64_t i = 0; i < files; ++i) {
    const fs::path file = unpacker.bytes();
    const FileState then{.bytes = unpacker.number(), .changed_ns = unpacker.number()};
    if (state_of(file) != then) return std::nullopt;
  }
  std::string library(unpacker.bytes());
  if (!unpacker.ended_well()) return std::nullopt;
  return library;
}

void keep_built_library(const FileCache& cache, const std::string& key, std::string_view library,
                        const std::vector<fs::path>& built_from) {
  Packer entry;
  entry.number(built_from.size());
  for (const fs::path& file : built_from) {
    const std::optional<FileState> state = state_of(file);
    if (!state) return;
    entry.bytes(file.native()).number(state->bytes).number(state->changed_ns);
  }
  cache.keep(key, entry.bytes(library).packed());
}

}  // namespace autokernel::compile
