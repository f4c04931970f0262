#include "cli/kernel_sources.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/repo/repository.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] bool is_folder(const fs::path& path) {
  std::error_code unreadable;
  return fs::is_directory(path, unreadable);
}

[[nodiscard]] bool is_revision(const std::string& name, const fs::path& kernel_file) {
  try {
    static_cast<void>(repo::Repository::open(kernel_file.parent_path()).resolve(name));
    return true;
  } catch (const Error&) {
    return false;
  }
}

[[nodiscard]] cases::KernelSource source_at(const repo::Repository& repository,
                                            const std::string& commit, const std::string& path,
                                            const fs::path& folder,
                                            const cases::EditableFiles& others) {
  auto text = repository.file_at(commit, path);
  if (!text) throw Error(Stop::usage, fmt::format("that revision has no {}", path));
  cases::KernelSource source{
      .text = *std::move(text),
      .files = {},
      .name = fs::path(path).lexically_relative(folder.empty() ? "." : folder).generic_string()};
  if (others.empty()) return source;
  for (const auto& [file, blob] : repository.files_below(commit, folder.generic_string())) {
    const std::string within = fs::path(file).lexically_relative(folder).generic_string();
    const std::string name = folder.empty() ? file : within;
    if (file == path || !others.contain(name)) continue;
    source.files[name] = repository.file_at(commit, file).value_or("");
  }
  return source;
}

}  // namespace

fs::path main_file(const fs::path& named, const std::string& name) {
  if (named.empty()) throw Error(Stop::usage, "--kernel names nothing; write a file or a folder");
  if (!is_folder(named)) return named;
  std::error_code unreadable;
  const fs::path file = named / name;
  if (fs::exists(file, unreadable)) return file;
  throw Error(Stop::usage, fmt::format("cannot measure the kernel in {}: it has no {}; name "
                                       "the main file itself",
                                       named.string(), name));
}

cases::EditableFiles other_files(const fs::path& named, const cases::EditableFiles& of_case) {
  if (!of_case.empty()) return of_case;
  if (named.extension() == ".toml") return {cases::patterns_of_images(), of_case.fixed()};
  // A solution of somebody else's, which evaluate --kernel-out wrote.
  if (named.extension() == ".py") return {{"solution/**"}, of_case.fixed()};
  if (!is_folder(named)) return of_case;
  return {cases::patterns_of_any_header(), of_case.fixed()};
}

namespace {

cases::KernelSource source_named(const std::string& against, const fs::path& kernel_file,
                                 const fs::path& folder, const cases::EditableFiles& others) {
  if (against.empty()) {
    throw Error(Stop::usage,
                "the kernel to compare with has no name; write a file, a folder or a git revision");
  }
  if (is_folder(against) && is_revision(against, kernel_file)) {
    throw Error(Stop::usage, fmt::format("cannot compare with {0}: it is a folder and a git "
                                         "revision; write ./{0} for the folder, or the revision's "
                                         "id",
                                         against));
  }
  std::error_code unreadable;
  const std::string main = kernel_file.lexically_relative(folder).generic_string();
  // Of a program that has its main file somewhere below.
  if (is_folder(against) && main != kernel_file.filename())
    return cases::read_kernel_in(against, main, others, "the program to compare with");
  if (fs::is_regular_file(against, unreadable) || is_folder(against)) {
    return cases::read_kernel(main_file(against, kernel_file.filename().string()),
                              other_files(against, others), "the kernel to compare with");
  }
  const std::string attempt =
      fmt::format("cannot compare with {}: there is no such file or folder, and ", against);
  try {
    const auto repository = repo::Repository::open(kernel_file.parent_path());
    return source_at(repository, repository.resolve(against), repository.relative(kernel_file),
                     repository.relative(folder), others);
  } catch (const Error& error) {
    throw Error(Stop::usage, attempt + error.what());
  }
}

}  // namespace

trial::Incumbent incumbent_named(const std::string& against, const fs::path& kernel_file,
                                 const cases::EditableFiles& others) {
  return incumbent_named(against, kernel_file, kernel_file.parent_path(), others);
}

trial::Incumbent incumbent_named(const std::string& against, const fs::path& kernel_file,
                                 const fs::path& folder, const cases::EditableFiles& others) {
  cases::KernelSource kernel = source_named(against, kernel_file, folder, others);
  return {.name = against,
          .source = std::move(kernel.text),
          .min_gain = {},
          .files = std::move(kernel.files),
          .kernel_name = kernel.name};
}

}  // namespace autokernel::cli
