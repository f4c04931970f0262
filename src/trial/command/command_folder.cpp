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

void copy_files(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks, failed);
  if (!failed) return;
  throw Error(Stop::environment,
              fmt::format("cannot copy what was built to {}: {}; is the disk full?", to.string(),
                          failed.message()));
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
