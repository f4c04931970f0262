// The files of a [command] case.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "cases/case_sections.h"

namespace autokernel::cases {
namespace {

namespace fs = std::filesystem;

// They are read before each experiment, hashed, kept by git, and written for each run.
constexpr std::size_t kMostFixedFiles = 4096;
constexpr std::uint64_t kMostFixedBytes = 256ULL << 20U;

[[noreturn]] void refuse_fixed(const fs::path& folder, const std::string& problem) {
  throw Error(Stop::usage,
              fmt::format("cannot read the files of the case {}: {}; write patterns of those that "
                          "are no part of it: [command] ignored = [\"data/*\"]",
                          folder.string(), problem));
}

// A run's own, and pictures that were drawn while it went on.
bool is_of_loop(const std::string& path, const std::string& name) {
  return path == kResults || std::ranges::find(kPlots, name) != kPlots.end();
}

// A misspelt pattern would leave the check's own files to be read by what is checked.
void require_hidden_files(const fs::path& folder, const CommandPlan& plan,
                          const std::map<std::string, std::string>& bytes) {
  std::vector<std::string> paths;
  paths.reserve(bytes.size());
  for (const auto& [path, text] : bytes) paths.push_back(path);
  const std::vector<std::string> unmatched = EditableFiles(plan.hidden, {}).without_match(paths);
  if (!unmatched.empty())
    throw Error(
        Stop::usage,
        fmt::format("cannot hide files of the case {}: hidden has \"{}\", which matches none",
                    folder.string(), unmatched.front()));
}

// As EditableFiles has it.
bool is_left_by_python(const std::string& name) { return name == "__pycache__"; }

}  // namespace

void read_files_of_command(const Case& problem, const CommandPlan& plan,
                           std::map<std::string, std::string>& bytes) {
  const fs::path& folder = problem.directory;
  const EditableFiles ignored(plan.ignored, {});
  std::uint64_t total = 0;
  std::error_code failed;
  fs::recursive_directory_iterator at(folder, failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    const std::string path = at->path().lexically_relative(folder).generic_string();
    const std::string name = at->path().filename().string();
    const fs::file_type type = at->symlink_status(failed).type();
    if (type == fs::file_type::directory) {
      if (name.starts_with('.') || is_left_by_python(name) ||
          fs::exists(fs::symlink_status(at->path() / ".git", failed))) {
        at.disable_recursion_pending();
      }
      continue;
    }
    const bool is_editable = path == problem.kernel_name || problem.editable_files.contain(path);
    if (type != fs::file_type::regular || name.starts_with('.') || is_editable ||
        ignored.contain(path) || is_of_loop(path, name)) {
      continue;
    }
    auto text = read_file_below(folder, path, "a file of the case", kMostFixedBytes);
    if (!text) continue;
    total += text->size();
    bytes[path] = *std::move(text);
    if (bytes.size() > kMostFixedFiles)
      refuse_fixed(folder, fmt::format("there are more than {}", kMostFixedFiles));
    if (total > kMostFixedBytes)
      refuse_fixed(folder, fmt::format("they have more than {} MiB", kMostFixedBytes >> 20U));
  }
  if (failed) refuse_fixed(folder, failed.message());
  require_hidden_files(folder, plan, bytes);
}

CommandFiles command_files(const CommandPlan& plan,
                           const std::map<std::string, std::string>& case_files) {
  const EditableFiles hidden(plan.hidden, {});
  CommandFiles files;
  for (const auto& [path, bytes] : case_files)
    (hidden.contain(path) ? files.hidden : files.fixed)[path] = bytes;
  return files;
}

}  // namespace autokernel::cases
