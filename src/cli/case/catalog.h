// The cases that a command can name: those of the repository it is called in, and those that are
// installed with the program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/cases/case.h"
#include "cli/options.h"

namespace autokernel::cli {

struct Listed {
  std::filesystem::path folder;
  bool is_installed = false;
};

struct Catalog {
  std::vector<Listed> cases;  // by their folders; first those of the repository
  bool is_cut = false;        // there was more to look through than is looked through
};

// Below the root of the repository that holds `here`, or `here` itself where none does, and below
// the folders that come with the program. No link is followed, and no hidden folder entered.
[[nodiscard]] Catalog find_cases(const std::filesystem::path& here);

// What a case.toml says, whatever becomes of the files that it names. Throws Error(usage).
[[nodiscard]] cases::Case outline(const std::filesystem::path& folder);

// The case that somebody names: a folder, or the name of a case in the catalog, which is that of
// its folder ("softmax") or its own ("Softmax", in letters of either size). None: `here`, or
// kernels/ there. Of several the one nearest to the top is meant. Throws Error(usage) where there
// is none, or where several are equally near.
[[nodiscard]] std::filesystem::path named_case(const std::optional<std::string>& named,
                                               const std::filesystem::path& here);

// The one in a folder of that name that came with the program, whatever is here. Throws
// Error(environment) where it did not.
[[nodiscard]] std::filesystem::path installed_case(const std::string& folder);

// The argument of the commands that take such a name.
void add_named_case(Options options, std::optional<std::string>& named);

// Throws Error(usage), naming the sizes that there are, where the case has none of that name.
void require_size(const cases::Case& problem, const std::string& size);

// The folder as it is best shown and typed: relative to `here` where it lies below it.
[[nodiscard]] std::string shown_folder(const std::filesystem::path& folder,
                                       const std::filesystem::path& here);

}  // namespace autokernel::cli
