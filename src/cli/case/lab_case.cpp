#include "cli/case/lab_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestTemplateFile = 1U << 20;

// As installed, then as in a build tree, where CMake makes the link.
[[nodiscard]] fs::path template_folder() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  const fs::path prefix = program.parent_path().parent_path();
  for (const char* const place : {"share/autokernel/lab", "lab"}) {
    if (fs::exists(prefix / place / "FILES.txt", failed)) return prefix / place;
  }
  throw Error(Stop::environment,
              fmt::format("the template of lab cases did not come with {}: install autokernel "
                          "again, with its folder share/autokernel",
                          program.string()));
}

void require_plain(const char* option, const std::string& word) {
  const bool is_plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return c >= ' ' && c <= '~' && std::string_view("\"'\\`$").find(c) == std::string_view::npos;
  });
  if (is_plain && word.find("{{") == std::string::npos) return;
  throw Error(Stop::usage,
              fmt::format("{} takes printable ASCII without quotation marks, '\\', '`', '$' and "
                          "'{{{{', as it stands in case.toml and in command lines",
                          option));
}

[[nodiscard]] std::string filled_in(std::string text, const LabCase& lab) {
  const std::array words = {std::pair{"{{SLUG}}", lab.slug}, std::pair{"{{MODEL}}", lab.model},
                            std::pair{"{{MODEL_PATH}}", lab.model_path.string()},
                            std::pair{"{{HARDWARE}}", lab.hardware}};
  for (const auto& [placeholder, word] : words) {
    const std::string_view name = placeholder;
    for (std::size_t at = text.find(name); at != std::string::npos;
         at = text.find(name, at + word.size())) {
      text.replace(at, name.size(), word);
    }
  }
  return text;
}

}  // namespace

std::vector<NewFile> lab_files(const LabCase& lab, const fs::path& folder) {
  require_plain("--case", lab.slug);
  require_plain("--model", lab.model);
  require_plain("--model-path", lab.model_path.string());
  require_plain("--hardware", lab.hardware);
  const fs::path from = template_folder();
  std::istringstream list(read_file(from / "FILES.txt", "the list of the template's files"));
  std::vector<NewFile> files;
  // A path in the case, and the file here where that is another.
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t blank = line.find(' ');
    const std::string path = line.substr(0, blank);
    const std::string source = blank == std::string::npos ? path : line.substr(blank + 1);
    files.push_back(
        {.path = folder / path,
         .bytes = filled_in(
             read_file(from / source, "a file of the template", kLargestTemplateFile), lab)});
  }
  return files;
}

}  // namespace autokernel::cli
