// What --kernel and --against name: files, folders, and revisions of git.
#pragma once

#include <filesystem>
#include <string>

#include "autokernel/cases/editable_files.h"
#include "autokernel/trial/result.h"

namespace autokernel::cli {

// The main file of a kernel that somebody names: the file itself, or kernel.cu of a folder. Throws
// Error(usage) where the folder has none.
[[nodiscard]] std::filesystem::path main_file(const std::filesystem::path& named,
                                              const std::string& name);
// Which files beside it are the kernel's: those that the case says; where it says nothing, of a
// folder all of its headers.
[[nodiscard]] cases::EditableFiles other_files(const std::filesystem::path& named,
                                               const cases::EditableFiles& of_case);

// The kernel that `against` names: a file, a folder, or else a git revision of `kernel_file` and of
// what `others` names beside it. Throws Error(usage) where it is none of these, saying what was
// tried.
[[nodiscard]] trial::Incumbent incumbent_named(const std::string& against,
                                               const std::filesystem::path& kernel_file,
                                               const cases::EditableFiles& others);
// The same where paths of the files are from `folder`, and the main file may lie below it.
[[nodiscard]] trial::Incumbent incumbent_named(const std::string& against,
                                               const std::filesystem::path& kernel_file,
                                               const std::filesystem::path& folder,
                                               const cases::EditableFiles& others);

}  // namespace autokernel::cli
