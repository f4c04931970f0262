#include "cli/case/stamp.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cases/case.h"
#include "cli/case/embedded.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCaseFile = "case.toml";
constexpr std::size_t kLongestName = 64;

[[nodiscard]] bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// By path from the case's folder.
using Texts = std::map<std::string, std::string>;

[[nodiscard]] Texts template_texts() {
  return {{kCaseFile, embedded::template_case()},
          {"kernel.cu", embedded::template_kernel()},
          {"reference.cu", embedded::template_reference()}};
}

[[nodiscard]] Texts texts_of(const fs::path& folder) {
  const cases::CaseFiles files = cases::read_files(folder);
  const cases::Case problem = cases::parse(files);
  Texts texts = files.bytes;
  cases::KernelSource kernel =
      cases::read_kernel(problem.kernel_file(), problem.editable_files, "the kernel");
  texts[problem.kernel_name] = std::move(kernel.text);
  texts.merge(kernel.files);
  return texts;
}

// The line `name = "..."` above the first table, as the parser of TOML finds it, too; npos where it
// is written in another way.
struct Part {
  std::size_t begin = std::string::npos;
  std::size_t end = std::string::npos;
};
[[nodiscard]] Part name_line(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with('[')) break;
    std::string_view behind = line.starts_with("name") ? line.substr(4) : std::string_view();
    behind.remove_prefix(std::min(behind.find_first_not_of(" \t"), behind.size()));
    if (behind.starts_with('=')) return {.begin = begin, .end = end};
    begin = end + 1;
  }
  return {};
}

[[nodiscard]] std::string renamed(std::string text, const std::string& name,
                                  const fs::path& folder) {
  const Part line = name_line(text);
  if (line.begin != std::string::npos) {
    text.replace(line.begin, line.end - line.begin, fmt::format("name = \"{}\"", name));
  }
  if (cases::parse(text, folder).name == name) return text;
  throw Error(Stop::usage,
              fmt::format("cannot rename the case in {}: write its name as a line name "
                          "= \"...\" above the first table",
                          folder.string()));
}

// Headers that lie beside the case would be missing.
void require_headers(const cases::Case& problem, const fs::path& target) {
  for (const fs::path& folder : problem.compile.include) {
    std::error_code unreadable;
    if (folder.is_absolute() || fs::is_directory((target / folder).lexically_normal(), unreadable))
      continue;
    throw Error(Stop::usage,
                fmt::format("cannot copy the case in {}: [compile] include has {}, from the case's "
                            "folder; write an absolute path there",
                            problem.directory.string(), folder.string()));
  }
}

constexpr const char* kTritonKernel = "kernel.py";

// With kernel.py in the place of the kernel.
void take_triton(Texts& texts, const std::optional<fs::path>& from) {
  std::string& text = texts.at(kCaseFile);
  const cases::Case problem = cases::parse(text, from.value_or(""));
  if (problem.kernel_name == kTritonKernel) return;
  const auto kernel = from ? read_file_below(*from, kTritonKernel, "the kernel")
                           : std::optional<std::string>(embedded::template_triton_kernel());
  if (!kernel) {
    throw Error(Stop::usage, fmt::format("cannot make a case in Triton of {}: it has no {}; write "
                                         "one, and name it in its case.toml: kernel = \"{}\"",
                                         from.value_or("").string(), kTritonKernel, kTritonKernel));
  }
  const Part line = name_line(text);
  if (line.end == std::string::npos || problem.kernel_name != "kernel.cu") {
    throw Error(Stop::usage, fmt::format("cannot make a case in Triton of {}: write its name as a "
                                         "line name = \"...\" above the first table",
                                         from.value_or("").string()));
  }
  text.insert(line.end, fmt::format("\nkernel = \"{}\"", kTritonKernel));
  texts.erase(problem.kernel_name);
  texts[kTritonKernel] = *kernel;
}

}  // namespace

void require_case_name(const std::string& name) {
  const bool is_sound = !name.empty() && name.size() <= kLongestName &&
                        is_letter_or_digit(name.front()) && std::ranges::all_of(name, [](char c) {
                          return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.';
                        });
  if (is_sound) return;
  throw Error(Stop::usage,
              fmt::format("'{}' cannot be the name of a case: a name has letters, digits, '_', '-' "
                          "and '.', a letter or digit first, and at most {} of them",
                          visible_line(name), kLongestName));
}

std::vector<NewFile> stamped(const fs::path& root, const fs::path& target, const std::string& name,
                             const Stamp& stamp) {
  const std::optional<fs::path>& from = stamp.from;
  Texts texts = from ? texts_of(*from) : template_texts();
  if (stamp.backend == kTritonBackend) take_triton(texts, from);
  std::string& text = texts.at(kCaseFile);
  text = renamed(std::move(text), name, from.value_or(target));
  require_headers(cases::parse(text, from.value_or(target)), root / target);
  std::vector<NewFile> files;
  for (auto& [path, bytes] : texts) {
    if (path != kCaseFile) files.push_back({.path = target / path, .bytes = std::move(bytes)});
  }
  files.push_back({.path = target / kCaseFile, .bytes = text});
  return files;
}

}  // namespace autokernel::cli
