// The files that case.toml names beside it.
#include <fmt/format.h>

#include <algorithm>

#include "autokernel/cases/names.h"
#include "cases/case_sections.h"

namespace autokernel::cases {

bool is_file_beside(const std::filesystem::path& file, const Case& problem,
                    const std::vector<std::string>& endings) {
  return file.is_relative() &&
         std::ranges::none_of(file, [](const auto& part) { return part == ".."; }) &&
         std::ranges::find(endings, file.extension().string()) != endings.end() &&
         file.lexically_normal() != problem.kernel_name;
}

std::string source_of(const Section& section, const std::string& key,
                      const std::filesystem::path& file, const CaseFiles* files, const char* verb) {
  if (files == nullptr) return {};
  const auto found = files->bytes.find(file.string());
  if (found != files->bytes.end()) return found->second;
  section.fail(key, fmt::format("{} \"{}\", which is not a file in {}; add it", verb, file.string(),
                                files->directory.string()));
}

std::vector<BaselineProgram> read_baselines(Section& root, const Case& problem,
                                            const CaseFiles* files) {
  constexpr const char* kKey = "baselines";
  constexpr std::size_t kMost = 8;
  if (!root.has(kKey)) return {};
  std::vector<BaselineProgram> baselines;
  for (const std::string& name : root.texts(kKey, R"(["baseline_cub.cu"])")) {
    const std::filesystem::path file = std::filesystem::path(name).lexically_normal();
    if (!is_file_beside(file, problem, {".cu", ".cpp"})) {
      root.fail(kKey,
                fmt::format("holds \"{}\"; write .cu or .cpp files in the folder of the case, "
                            "other than {}, such as \"baseline_cub.cu\"",
                            shown(name), problem.kernel_name));
    }
    if (std::ranges::find(baselines, file, &BaselineProgram::file) != baselines.end())
      root.fail(kKey, fmt::format("holds \"{}\" twice; leave one out", shown(name)));
    baselines.push_back({file, source_of(root, kKey, file, files, "holds")});
  }
  if (baselines.size() > kMost)
    root.fail(kKey, fmt::format("has {} files; write at most {}", baselines.size(), kMost));
  return baselines;
}

std::vector<NamedFile> named_files(const Case& problem) {
  std::vector<NamedFile> all;
  if (const auto* reference = std::get_if<KernelReference>(&problem.reference)) {
    for (const std::filesystem::path& file : {reference->file, reference->fp64_file}) {
      if (!file.empty()) all.push_back({file, "the reference"});
    }
  }
  if (const auto* reference = std::get_if<PythonReference>(&problem.reference)) {
    all.push_back({reference->file, "the reference"});
    for (const auto& [file, text] : reference->files)
      all.push_back({file, "a file of the reference"});
  }
  for (const BaselineProgram& baseline : problem.baselines)
    all.push_back({baseline.file, "a baseline"});
  if (problem.compile.has_script()) all.push_back({problem.compile.compiler, "the compiler"});
  return all;
}

}  // namespace autokernel::cases
