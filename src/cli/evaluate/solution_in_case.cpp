#include "cli/evaluate/solution_in_case.h"

#include <fmt/format.h>

#include <regex>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/bridge/submission.h"
#include "autokernel/cases/case.h"
#include "autokernel/compile/confined_python.h"
#include "cli/case/catalog.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

// The cases of a definition: workloads with values of their own have one each. Throws Error(usage)
// where there is none, and where data sets have several definitions of that name.
[[nodiscard]] std::vector<fs::path> cases_of_definition(const std::string& definition) {
  std::vector<fs::path> folders;
  std::string known;
  for (const Listed& each : find_cases(fs::current_path()).cases) {
    const auto text = read_file_below(each.folder, "definition.json", "a definition");
    if (!text || bridge::definition_name(*text) != definition) continue;
    if (!folders.empty() && *text != known) {
      throw Error(Stop::usage,
                  fmt::format("cannot tell which case the solution is for: {} and {} "
                              "are of definitions called {}; --case names one",
                              visible_line(folders.front().string()),
                              visible_line(each.folder.string()), visible_line(definition)));
    }
    folders.push_back(each.folder);
    known = *text;
  }
  if (!folders.empty()) return folders;
  throw Error(Stop::usage,
              fmt::format("cannot evaluate a solution of {}: no case here is of that definition; "
                          "autokernel import FOLDER makes one, and --case names it",
                          visible_line(definition)));
}

// By the names of KernelBench's generated files: level_1_problem_19_sample_0_kernel.py.
struct GeneratedName {
  std::string level;
  std::string problem;
};
[[nodiscard]] std::optional<GeneratedName> generated_name(const std::string& file) {
  static const std::regex kPattern("level_([0-9]+)_problem_([0-9]+)(_.*)?");
  std::smatch found;
  const std::string stem = fs::path(file).stem().string();
  if (!std::regex_match(stem, found, kPattern)) return std::nullopt;
  return GeneratedName{.level = found[1], .problem = found[2]};
}

// The text of a file of the case's problem; none where it is of none.
[[nodiscard]] std::optional<std::string> problem_of(const fs::path& folder) {
  const auto text = read_file_below(folder, "problem.json", "a problem");
  return text ? bridge::file_of_problem(*text) : std::nullopt;
}

[[nodiscard]] fs::path case_of_submission(const std::string& file) {
  const std::string stem = fs::path(file).stem().string();
  const auto generated = generated_name(file);
  std::vector<fs::path> folders;
  for (const Listed& each : find_cases(fs::current_path()).cases) {
    const auto problem = problem_of(each.folder);
    if (!problem) continue;
    const bool is_its = generated ? problem->starts_with(generated->problem + "_")
                                  : each.folder.filename().string() == stem;
    if (is_its) folders.push_back(each.folder);
  }
  if (folders.empty()) {
    const std::string what =
        generated ? fmt::format("no case here is of a problem {}", generated->problem)
                  : "it does not say of which problem it is, and no case here has its name";
    throw Error(Stop::usage, fmt::format("cannot evaluate {}: {}; --case names the case",
                                         visible_line(file), what));
  }
  if (folders.size() > 1) {
    throw Error(Stop::usage,
                fmt::format("cannot tell which case {} is for: {} and {} both have its name; "
                            "--case names one, or run this in the folder of one level",
                            visible_line(file), visible_line(folders[0].string()),
                            visible_line(folders[1].string())));
  }
  return folders.front();
}

void take_submission(const std::string& text, const std::optional<std::string>& architecture,
                     SolutionInCase& found) {
  const bridge::Submission submission{.file = found.file, .text = text};
  found.problem = problem_of(found.folder).value_or("");
  found.kernel = bridge::kernel_of_submission(submission, [&](const auto& name) {
    return read_file_below(found.folder, name, "a file of the case");
  });
  if (!bridge::is_in_cuda(submission)) return;
  constexpr const char* kUsual = "sm_90";  // the emulated device's
  const cases::Case problem = cases::load(found.folder);
  const bridge::CallOfSubmission call{
      .kernel = found.kernel,
      .problem = problem,
      .architecture = architecture.value_or(kUsual),
      .python = compile::runnable_python(compile::active_python(), "evaluate " + found.file,
                                         "[compile]")};
  found.kernel = bridge::cuda_kernel_of_submission(submission, call);
}

void take_solution(const std::string& text, const std::optional<std::string>& case_directory,
                   const Console& console, SolutionInCase& found) {
  found.solution = bridge::read_solution(found.file, text);
  if (!case_directory) {
    const std::vector<fs::path> folders = cases_of_definition(found.solution.definition);
    found.folder = folders.front();
    if (folders.size() > 1) {
      console.err << fmt::format(
          "autokernel: judged in {}; {} more cases are of its definition: --case names one\n",
          visible_line(found.folder.string()), folders.size() - 1);
    }
  }
  const auto file = [&](const char* name) {
    return read_file(found.folder / name, "a definition in a case");
  };
  found.definition = {.definition = file("definition.json"),
                      .workloads = file("workloads.jsonl"),
                      .problem = file("problem.json")};
  found.kernel = bridge::kernel_of_solution(found.solution, found.definition);
}

}  // namespace

void require_one_level(const std::vector<std::string>& files) {
  std::optional<std::string> level;
  for (const std::string& file : files) {
    const auto generated = generated_name(file);
    if (!generated) continue;
    if (level && *level != generated->level) {
      throw Error(
          Stop::usage,
          fmt::format("cannot tell the problems of level {} from those of level {} by their "
                      "numbers: evaluate the solutions of each level by themselves, in the "
                      "folder that has its cases",
                      *level, generated->level));
    }
    level = generated->level;
  }
}

SolutionInCase solution_in_case(const std::string& file,
                                const std::optional<std::string>& case_directory,
                                const std::optional<std::string>& architecture,
                                const Console& console) {
  const std::string text = read_file(file, "the solution");
  SolutionInCase found{.file = file,
                       .folder = case_directory.value_or(""),
                       .kernel = {},
                       .problem = {},
                       .solution = {},
                       .definition = {}};
  const std::string extension = fs::path(file).extension().string();
  if (extension != ".py" && extension != ".json") {
    throw Error(Stop::usage,
                fmt::format("cannot evaluate {}: name a solution (.json) or a submission (.py)",
                            visible_line(file)));
  }
  if (extension == ".py") {
    if (!case_directory) found.folder = case_of_submission(file);
    take_submission(text, architecture, found);
  } else {
    take_solution(text, case_directory, console, found);
  }
  return found;
}

}  // namespace autokernel::cli
