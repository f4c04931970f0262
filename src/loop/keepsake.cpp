#include "loop/keepsake.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSecondName = "autokernel-ledger.jsonl";

// 0 for a file that is not there.
[[nodiscard]] std::uintmax_t size_of(const fs::path& file) {
  std::error_code missing;
  const std::uintmax_t size = fs::file_size(file, missing);
  return missing ? 0 : size;
}

// Whether the first file holds all of the second, and may be more behind it.
[[nodiscard]] bool begins_with(const fs::path& file, const fs::path& beginning) {
  const std::uintmax_t size = size_of(beginning);
  if (size_of(file) < size) return false;
  std::ifstream whole(file, std::ios::binary);
  std::ifstream part(beginning, std::ios::binary);
  return std::equal(std::istreambuf_iterator<char>(part), std::istreambuf_iterator<char>(),
                    std::istreambuf_iterator<char>(whole));
}

}  // namespace

std::string keep_ledger(const repo::Repository& repository, const Folders& folders) {
  const fs::path first = folders.ledger();
  const fs::path second = repository.git_folder() / kSecondName;
  std::error_code failed;
  if (fs::equivalent(first, second, failed)) return {};
  if (fs::exists(first, failed)) {
    // One that does not go on from what is kept is no reason to let that go.
    if (!begins_with(first, second)) return {};
    fs::remove(second, failed);
    fs::create_hard_link(first, second, failed);
    return {};
  }
  if (size_of(second) == 0) return {};
  fs::create_hard_link(second, first, failed);
  if (failed) return {};
  return fmt::format("{} was removed, and is back from {}", first.string(), second.string());
}

fs::path second_ledger(const repo::Repository& repository, const Folders& folders) {
  fs::path second = repository.git_folder() / kSecondName;
  std::error_code failed;
  const bool is_same = fs::equivalent(folders.ledger(), second, failed);
  return failed || is_same ? fs::path() : second;
}

}  // namespace autokernel::loop
