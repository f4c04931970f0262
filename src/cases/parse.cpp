// case.toml, section by section. kernels/case.toml is the example to read beside it.
#include <fmt/format.h>

#include "autokernel/base/base64.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/cases/document.h"
#include "cases/case_sections.h"

namespace autokernel::cases {
namespace {

// Cases are a page long; what is longer was not meant to be one.
constexpr std::size_t kMostText = 1U << 20;
constexpr std::int64_t kMostSamples = 100'000;
constexpr double kLeastSeconds = 0.01;
constexpr double kMostSeconds = 86'400;
constexpr const char* kFileName = "case.toml";

// A formula of the size symbols that is more than zero at every size.
void read_formula(Section& cost, const std::string& key, const Case& problem, std::string& formula,
                  double (*value_at)(const Case&, const std::string&)) {
  formula = cost.text(key);
  for (const std::string& size : size_names(problem)) {
    placed(cost, key, [&] {
      const double value = value_at(problem, size);
      if (value <= 0) {
        throw Error(Stop::usage,
                    fmt::format("\"{}\" gives {}; it must give more than 0", formula, value));
      }
    });
  }
}

TimingPlan read_timing(Section& root) {
  TimingPlan plan;
  if (!root.has("timing")) return plan;
  Section section = root.section("timing");
  if (section.has("samples")) {
    plan.samples = static_cast<int>(section.integer("samples", {1, kMostSamples}));
  }
  if (section.has("warmups")) {
    plan.warmups = static_cast<int>(section.integer("warmups", {0, kMostSamples}));
  }
  if (section.has("cap_seconds")) {
    plan.cap_seconds = section.number("cap_seconds", {.low = kLeastSeconds, .high = kMostSeconds});
  }
  section.finish();
  return plan;
}

Case read_case(const std::string& text, const std::filesystem::path& directory,
               const CaseFiles* files) {
  const std::string file = (directory / kFileName).string();
  if (text.size() > kMostText) {
    throw Error(Stop::usage, fmt::format("{}: it has {} bytes; a case has at most {}", file,
                                         text.size(), kMostText));
  }
  const Value document = parse_toml_file(text, file);
  Section root(file, "", document);

  Case problem;
  problem.directory = directory;
  problem.text = text;
  problem.name = root.text("name");
  if (root.has("command")) {
    problem.problem = root.text("problem");
    read_command(root, problem);
    root.finish();
    return problem;
  }
  problem.kernel_name = read_kernel_name(root);
  problem.problem = root.text("problem");
  const AllSizes all = read_sizes(root);
  problem.sizes = all.sizes;
  problem.types = all.types;
  problem.runtime_sizes = read_runtime_sizes(root, problem.sizes);
  for (const std::string& size : size_names(problem))
    placed(root, "problem", [&] { static_cast<void>(problem_line(problem, size)); });
  problem.tensors = read_tensors(root, all);
  problem.reference = read_reference(root, problem, files);
  problem.baselines = read_baselines(root, problem, files);

  Section check = root.section("check");
  Correctness correctness = read_correctness(check, problem);
  problem.exactness = std::move(correctness.exactness);
  problem.tolerance = correctness.tolerance;
  problem.tolerances = std::move(correctness.tolerances);
  problem.deterministic = check.truth("deterministic", false);
  if (check.has("may_be_wrong")) {
    constexpr double kMostWrong = 0.1;
    problem.may_be_wrong = check.number("may_be_wrong", {0, kMostWrong});
    if (!std::holds_alternative<NotExact>(problem.exactness))
      check.fail("may_be_wrong", R"(goes with exact = "never"; leave it out)");
  }
  check.finish();

  Section cost = root.section("cost");
  read_formula(cost, "flops", problem, problem.flops, flops_at);
  read_formula(cost, "bytes", problem, problem.bytes, bytes_at);
  cost.finish();

  problem.playbook = read_playbook(root, problem);
  problem.timing = read_timing(root);
  problem.goal = read_goal(root, problem);
  problem.compile = read_compile_plan(root, problem, files);
  problem.editable_files = read_editable_files(root, problem);
  root.finish();
  return problem;
}

[[nodiscard]] Error no_case(const std::filesystem::path& directory) {
  return {Stop::usage, fmt::format("cannot read {}: there is no such file; a case is a folder with "
                                   "case.toml in it, beside a kernel or another program",
                                   (directory / kFileName).string())};
}

}  // namespace

Case parse(const std::string& text, const std::filesystem::path& directory) {
  return read_case(text, directory, nullptr);
}

Case parse(const CaseFiles& files) {
  const auto text = files.bytes.find(kFileName);
  if (text == files.bytes.end()) throw no_case(files.directory);
  return read_case(text->second, files.directory, &files);
}

CaseFiles read_files(const std::filesystem::path& directory) {
  CaseFiles files{.directory = directory, .bytes = {}};
  auto text = read_file_below(directory, kFileName, "the case", kMostText);
  if (!text) throw no_case(directory);
  const Case problem = parse(*text, directory);
  files.bytes[kFileName] = *std::move(text);
  if (problem.command) {
    read_files_of_command(problem, *problem.command, files.bytes);
    return files;
  }
  for (const std::filesystem::path& folder : problem.compile.include) {
    try {
      files.headers.push_back(read_headers(directory, folder));
    } catch (const Error& error) {
      throw Error(error.stop(), fmt::format("{}: {}", problem.compile.include_place, error.what()));
    }
  }
  for (const auto& [file, role] : named_files(problem)) {
    auto source = read_file_below(directory, file, role, kLargestSource);
    if (source) files.bytes[file.string()] = *std::move(source);
  }
  read_images(files);
  return files;
}

void read_images(CaseFiles& files) {
  constexpr std::uint64_t kLargestImage = 64ULL << 20;
  const Case problem = parse(files.bytes.at(kFileName), files.directory);
  const auto* reference = std::get_if<KernelReference>(&problem.reference);
  if (reference == nullptr) return;
  for (const auto& [name, nothing] : reference->images) {
    auto bytes = read_file_below(files.directory, name, "captured code", kLargestImage);
    if (bytes) files.images[name] = base64(*bytes);
  }
}

Case load(const std::filesystem::path& directory) { return parse(read_files(directory)); }

}  // namespace autokernel::cases
