#include "loop/keepsake.h"

#include <fmt/format.h>

#include <filesystem>
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

}  // namespace

std::string keep_ledger(const repo::Repository& repository, const Folders& folders) {
  const fs::path first = folders.ledger();
  const fs::path second = repository.git_folder() / kSecondName;
  std::error_code failed;
  if (fs::equivalent(first, second, failed)) return {};
  if (fs::exists(first, failed)) {
    // A ledger that is shorter than the one that is kept is no reason to let that go.
    if (size_of(first) < size_of(second)) return {};
    fs::remove(second, failed);
    fs::create_hard_link(first, second, failed);
    return {};
  }
  if (size_of(second) == 0) return {};
  fs::create_hard_link(second, first, failed);
  if (failed) return {};
  return fmt::format("{} was removed, and is back from {}", first.string(), second.string());
}

}  // namespace autokernel::loop
