#include "trial/command/command_folder.h"

#include <fmt/format.h>

#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"

namespace autokernel::trial {
namespace {

namespace fs = std::filesystem;

// Of all that a run leaves: the check gets a copy of it.
constexpr std::uint64_t kLargestResult = 256ULL << 20U;

}  // namespace

void write_files(const fs::path& folder, const FilesByPath& files) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  for (const auto& [path, bytes] : files) {
    const fs::path file = folder / path;
    fs::create_directories(file.parent_path(), failed);
    write_file_atomically(file, bytes, Sync::no);
    if (bytes.starts_with("#!")) {
      fs::permissions(file, fs::perms::owner_exec, fs::perm_options::add, failed);
    }
  }
}

std::string copy_files(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks, failed);
  if (failed == std::errc::no_space_on_device) {
    throw Error(Stop::environment,
                fmt::format("cannot copy what was built to {}: {}; free some room", to.string(),
                            failed.message()));
  }
  if (!failed) return {};
  // A pipe or a device is none of what can be copied, and a folder may have been closed.
  return fmt::format("what was built cannot be copied: {}", failed.message());
}

std::uint64_t folder_bytes(const fs::path& folder) {
  std::uint64_t total = 0;
  std::error_code failed;
  fs::recursive_directory_iterator at(folder, failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    std::error_code gone;
    if (at->symlink_status(gone).type() != fs::file_type::regular) continue;
    const std::uint64_t bytes = at->file_size(gone);
    if (!gone) total += bytes;
  }
  return total;
}

ReadOutputs read_outputs(const fs::path& folder, const std::vector<std::string>& paths) {
  ReadOutputs outputs;
  for (const std::string& path : paths) {
    try {
      auto bytes = read_file_below(folder, path, "what a run leaves", kLargestResult);
      if (bytes) {
        outputs.files[path] = *std::move(bytes);
      } else {
        outputs.fault = fmt::format("the run left no {}", path);
      }
    } catch (const Error&) {
      outputs.fault = fmt::format("what the run left as {} is no regular file of at most {} MiB",
                                  path, kLargestResult >> 20U);
    }
    if (!outputs.fault.empty()) break;
  }
  return outputs;
}

}  // namespace autokernel::trial
