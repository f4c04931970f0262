#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/sha256.h"
#include "autokernel/cases/case.h"

namespace autokernel::cases {
namespace {

namespace fs = std::filesystem;

// What libraries call their headers; some have no ending, as those of the C++ library.
constexpr std::array<std::string_view, 13> kEndings = {
    "", ".h", ".hpp", ".hxx", ".hh", ".cuh", ".inl", ".inc", ".ipp", ".tcc", ".tpp", ".def", ".cu"};
// Of a folder. CUTLASS has 905 of 27 MB.
constexpr std::size_t kMostFiles = 20'000;
constexpr std::uint64_t kMostBytes = std::uint64_t{128} << 20;

// What can be written behind #include.
bool is_plain(const fs::path& path) {
  return std::ranges::all_of(path.native(), [](char c) { return c >= ' ' && c <= '~'; });
}

bool is_header(const fs::directory_entry& entry) {
  std::error_code unreadable;
  return is_plain(entry.path().filename()) &&
         entry.symlink_status(unreadable).type() == fs::file_type::regular &&
         std::ranges::find(kEndings, entry.path().extension().string()) != kEndings.end();
}

[[noreturn]] void fail(const fs::path& root, const std::string& problem) {
  throw Error(Stop::usage, fmt::format("cannot read the headers in {} ([compile] include): {}",
                                       root.string(), problem));
}

}  // namespace

HeaderFolder read_headers(const fs::path& directory, const fs::path& folder) {
  const fs::path root = (directory / folder).lexically_normal();
  std::error_code failed;
  if (!fs::is_directory(root, failed)) fail(root, "there is no such folder; write where they are");
  // It would differ with each edit.
  const std::string to_case = fs::weakly_canonical(directory, failed)
                                  .lexically_relative(fs::weakly_canonical(root, failed))
                                  .generic_string();
  if (!to_case.empty() && !to_case.starts_with(".."))
    fail(root, "it holds the kernel, which changes; put the headers into a folder beside it");
  HeaderFolder headers{.folder = folder, .files = {}};
  std::uint64_t bytes = 0;
  fs::recursive_directory_iterator at(root, failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    if (at->path().filename() == ".git") at.disable_recursion_pending();
    if (!is_header(*at)) continue;
    const fs::path within = at->path().lexically_relative(root);
    auto text = read_file_below(root, within, "a header of [compile] include", kLargestSource);
    // A compiler stops reading at a zero byte.
    if (!text || text->find('\0') != std::string::npos || !is_plain(within)) continue;
    bytes += text->size();
    headers.files[within.generic_string()] = *std::move(text);
    if (headers.files.size() > kMostFiles || bytes > kMostBytes) {
      fail(root, fmt::format("it holds more than {} files or {} MB; name the folder that the "
                             "library's own instructions give to the compiler",
                             kMostFiles, kMostBytes >> 20U));
    }
  }
  if (failed) fail(root, failed.message());
  return headers;
}

std::string digest_of(const HeaderFolder& headers) {
  // Lengths first, so that no two folders look alike.
  std::string all;
  for (const auto& [path, text] : headers.files)
    all += fmt::format("{} {} {} {}\n", path.size(), path, text.size(), sha256(text));
  return sha256(all);
}

}  // namespace autokernel::cases
