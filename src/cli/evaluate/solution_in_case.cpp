#include "cli/evaluate/solution_in_case.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
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

// What the problem's file begins with by the name of KernelBench's generated files,
// level_1_problem_19_sample_0_kernel.py: "19_".
[[nodiscard]] std::optional<std::string> number_of_problem(const std::string& stem) {
  constexpr std::string_view kMark = "_problem_";
  const std::size_t mark = stem.find(kMark);
  if (!stem.starts_with("level_") || mark == std::string::npos) return std::nullopt;
  const char* const begin = stem.data() + mark + kMark.size();
  unsigned number = 0;
  const auto [end, error] = std::from_chars(begin, stem.data() + stem.size(), number);
  if (error != std::errc() || end == begin || *end != '_') return std::nullopt;
  return fmt::format("{}_", number);
}

// The text of a file of the case's problem; none where it is of none.
[[nodiscard]] std::optional<std::string> problem_of(const fs::path& folder) {
  const auto text = read_file_below(folder, "problem.json", "a problem");
  return text ? bridge::file_of_problem(*text) : std::nullopt;
}

[[nodiscard]] fs::path case_of_submission(const std::string& file) {
  const std::string stem = fs::path(file).stem().string();
  const auto number = number_of_problem(stem);
  std::vector<fs::path> folders;
  for (const Listed& each : find_cases(fs::current_path()).cases) {
    const auto problem = problem_of(each.folder);
    if (!problem) continue;
    const bool is_its =
        number ? problem->starts_with(*number) : each.folder.filename().string() == stem;
    if (is_its) folders.push_back(each.folder);
  }
  if (folders.empty()) {
    throw Error(Stop::usage,
                fmt::format("cannot evaluate {}: it does not say of which problem it is, and no "
                            "case here has its name; --case names the case",
                            visible_line(file)));
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
  if (fs::path(file).extension() == ".py") {
    if (!case_directory) found.folder = case_of_submission(file);
    take_submission(text, architecture, found);
  } else {
    take_solution(text, case_directory, console, found);
  }
  return found;
}

}  // namespace autokernel::cli
