// Which files the kernel is made of, what it may include beside them, and with which options it is
// compiled.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>

#include "autokernel/base/number.h"
#include "autokernel/cases/names.h"
#include "cases/case_sections.h"

namespace autokernel::cases {
namespace {

constexpr std::size_t kMostFolders = 16;

// What a flag takes behind its name: nothing, "true" or "false", or a whole number.
enum class Takes : std::uint8_t { nothing, truth, number };
struct Flag {
  std::string_view name;
  Takes takes;
  int most = 0;
};
// Those of NVRTC's options that change how fast a kernel is and nothing that is measured beside it.
// 255 registers are what a thread can have; more threads than that compile no faster.
constexpr std::array kFlags = {
    Flag{"maxrregcount", Takes::number, 255},
    Flag{"fmad", Takes::truth},
    Flag{"ftz", Takes::truth},
    Flag{"prec-div", Takes::truth},
    Flag{"prec-sqrt", Takes::truth},
    Flag{"default-device", Takes::nothing},
    Flag{"extra-device-vectorization", Takes::nothing},
    Flag{"split-compile", Takes::number, 64},
};

std::string written(const Flag& flag) {
  switch (flag.takes) {
    case Takes::truth:
      return fmt::format("-{}=true or =false", flag.name);
    case Takes::number:
      return fmt::format("-{}=N with N from 1 to {}", flag.name, flag.most);
    case Takes::nothing:
      break;
  }
  return fmt::format("-{}", flag.name);
}

bool is_taken(const Flag& flag, std::string_view value, bool has_value) {
  if (flag.takes == Takes::nothing) return !has_value;
  if (flag.takes == Takes::truth) return value == "true" || value == "false";
  int number = 0;
  return read_number(value, number) && number >= 1 && number <= flag.most;
}

// As NVRTC takes all of them, with one dash; two are as good here.
std::string checked(const Section& section, const std::string& text, std::set<std::string>& seen) {
  std::string_view name = text;
  while (name.starts_with('-')) name.remove_prefix(1);
  const std::size_t equals = name.find('=');
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : name.substr(equals + 1);
  name = name.substr(0, equals);
  std::vector<std::string> names;
  for (const Flag& flag : kFlags) {
    names.emplace_back(flag.name);
    if (flag.name != name) continue;
    if (!is_taken(flag, value, equals != std::string_view::npos))
      section.fail("flags", fmt::format("holds \"{}\"; write {}", shown(text), written(flag)));
    if (!seen.insert(std::string(name)).second)
      section.fail("flags", fmt::format("has -{} twice; leave one out", name));
    return equals == std::string_view::npos ? fmt::format("-{}", name)
                                            : fmt::format("-{}={}", name, value);
  }
  section.fail("flags", fmt::format("holds \"{}\", which is not among the options a case may set: "
                                    "{}",
                                    shown(text), one_of(names)));
}

}  // namespace

std::string read_kernel_name(Section& root) {
  if (!root.has("kernel")) return "kernel.cu";
  std::string name = root.text("kernel");
  constexpr std::array<std::string_view, 3> kEndings = {".cu", ".py", ".toml"};
  const bool ends_well = std::ranges::any_of(
      kEndings, [&](std::string_view ending) { return name.ends_with(ending); });
  const bool is_plain = name.find_first_not_of(
                            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                            "0123456789_-.") == std::string::npos;
  if (!ends_well || !is_plain || name.front() == '.' || name.front() == '-' ||
      name == "case.toml") {
    root.fail("kernel",
              fmt::format("is \"{}\"; write the name of a .cu, .py or .toml file in the folder of "
                          "the case, such as \"kernel.py\"",
                          shown(name)));
  }
  return name;
}

namespace {

void read_compiler(CompilePlan& plan, Section& section, const Case& problem,
                   const CaseFiles* files) {
  if (section.has("compiler")) plan.compiler = section.text("compiler");
  if (plan.compiler != CompilePlan::kTriton) {
    if (!is_file_beside(plan.compiler, problem, {".py"})) {
      section.fail("compiler",
                   fmt::format("is \"{}\"; write \"triton\", or a .py file in the folder of the "
                               "case, other than {}",
                               shown(plan.compiler), problem.kernel_name));
    }
    plan.compiler_script = source_of(section, "compiler", plan.compiler, files);
  }
}

}  // namespace

CompilePlan read_compile_plan(Section& root, const Case& problem, const CaseFiles* files) {
  CompilePlan plan;
  const bool is_python = problem.kernel_name.ends_with(".py");
  if (is_python) plan.compiler = CompilePlan::kTriton;
  if (!root.has("compile")) return plan;
  Section section = root.section("compile");
  if (is_python || section.has("compiler")) read_compiler(plan, section, problem, files);
  if (section.has("python")) plan.python = section.text("python");
  if (section.has("include")) {
    plan.include_place = section.place_of("include");
    for (const std::string& folder : section.texts("include", R"(["cutlass/include"])"))
      plan.include.emplace_back(folder);
    if (plan.include.size() > kMostFolders)
      section.fail("include", fmt::format("has {} folders; write at most {}", plan.include.size(),
                                          kMostFolders));
  }
  if (section.has("flags")) {
    std::set<std::string> seen;
    for (const std::string& flag : section.texts("flags", R"(["-maxrregcount=128"])"))
      plan.flags.push_back(checked(section, flag, seen));
  }
  section.finish();
  return plan;
}

namespace {

// What no pattern matches: the case itself, and the headers of [compile] include.
std::set<std::string> fixed_files(const Case& problem) {
  namespace fs = std::filesystem;
  std::set<std::string> fixed = {problem.kernel_file().filename().string(), "case.toml"};
  for (const NamedFile& named : named_files(problem))
    fixed.insert(named.file.lexically_normal().generic_string());
  for (const fs::path& folder : problem.compile.include) {
    const fs::path within =
        (folder.is_absolute() ? folder.lexically_relative(fs::absolute(problem.directory)) : folder)
            .lexically_normal();
    fixed.insert((within / "").generic_string());
  }
  return fixed;
}

}  // namespace

EditableFiles read_editable_files(Section& root, const Case& problem) {
  constexpr const char* kKey = "editable_files";
  constexpr std::size_t kMostPatterns = 32;
  const bool is_image = problem.kernel_name.ends_with(".toml");
  if (!root.has(kKey) && !is_image) return {};
  const std::vector<std::string> patterns =
      root.has(kKey) ? root.texts(kKey, R"(["include/*.cuh"])") : patterns_of_images();
  if (patterns.size() > kMostPatterns)
    root.fail(kKey,
              fmt::format("has {} patterns; write at most {}", patterns.size(), kMostPatterns));
  const std::set<std::string> fixed = fixed_files(problem);
  for (const std::string& pattern : patterns) {
    if (const std::string fault = pattern_fault(pattern); !fault.empty())
      root.fail(kKey, fmt::format("holds \"{}\", which {}", shown(pattern), fault));
    // One that names what is fixed was not meant to match nothing.
    for (const std::string& each : fixed) {
      if (each == problem.kernel_file().filename()) continue;
      if (pattern == each || (each.ends_with('/') && pattern.starts_with(each)))
        root.fail(kKey, fmt::format("holds \"{}\", but {} is what the kernel is judged by or "
                                    "compiled with, and stays as it is",
                                    shown(pattern), each));
    }
  }
  return {patterns, fixed};
}

}  // namespace autokernel::cases
