// Which files beside the main one are the kernel's too: what editable_files of case.toml names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace autokernel::cases {

// A kernel is one file of source text; more is a mistake. So is a folder of many.
inline constexpr std::uint64_t kLargestSource = 16ULL << 20U;
inline constexpr std::size_t kMostEditableFiles = 256;

// Paths are relative to the folder of the main file, with '/'.
class EditableFiles {
 public:
  EditableFiles() = default;
  // Patterns such as "include/*.cuh": '*', '?' and [a-z] within a name, "**" for any folders, none
  // included. They never match a name that begins with '.', "__pycache__", the main file, or what
  // is in `fixed`: files, and folders with '/' behind them.
  EditableFiles(std::vector<std::string> patterns, std::set<std::string> fixed);

  [[nodiscard]] bool empty() const { return patterns_.empty(); }
  [[nodiscard]] const std::vector<std::string>& patterns() const { return patterns_; }
  [[nodiscard]] const std::set<std::string>& fixed() const { return fixed_; }
  // Whether a file of that path is one, should it be a regular one.
  [[nodiscard]] bool contain(std::string_view path) const;
  // Whether there may be one in that folder, or below it.
  [[nodiscard]] bool may_lie_in(std::string_view folder) const;
  // The patterns that match none of these.
  [[nodiscard]] std::vector<std::string> without_match(const std::vector<std::string>& paths) const;
  // Those that there are below `folder`, in order; links are none, and repositories within it hold
  // none; these go into `repositories`. Throws Error(usage) where there is too much to look
  // through.
  [[nodiscard]] std::vector<std::string> find(
      const std::filesystem::path& folder, std::vector<std::string>* repositories = nullptr) const;
  // What they hold. Throws Error(usage) for more than kMostEditableFiles, and more than
  // kLargestSource bytes in all.
  [[nodiscard]] std::map<std::string, std::string> read(const std::filesystem::path& folder) const;

 private:
  std::vector<std::string> patterns_;
  std::set<std::string> fixed_;
};

// What a kernel's files hold.
struct KernelSource {
  std::string text;                          // of the main one
  std::map<std::string, std::string> files;  // of the others, by path
  std::string name = "kernel.cu";            // of the main one: what it is written in
};
// A kernel as it lies on the disk: its main file, and the others beside it. Throws Error(usage)
// where one of them cannot be read; `role` says what the main file was wanted for.
[[nodiscard]] KernelSource read_kernel(const std::filesystem::path& main_file,
                                       const EditableFiles& others, std::string_view role);
// The same where the main file is `main`, by path from `folder`, as the others are.
[[nodiscard]] KernelSource read_kernel_in(const std::filesystem::path& folder,
                                          const std::string& main, const EditableFiles& others,
                                          std::string_view role);

// Why a pattern can be none, in words that go behind it ("leads out of the folder"); empty: it can.
[[nodiscard]] std::string pattern_fault(const std::string& pattern);

// "include/*.cuh" for all the headers, of whatever ending, below a folder that somebody names as a
// kernel, where the case says nothing.
[[nodiscard]] std::vector<std::string> patterns_of_any_header();

// "*.ptx" and the like: what a kernel.toml may name.
[[nodiscard]] std::vector<std::string> patterns_of_images();

}  // namespace autokernel::cases
