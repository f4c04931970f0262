#include "cli/case/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "cli/case/description.h"
#include "cli/case/embedded.h"
#include "cli/shell_word.h"

namespace autokernel::cli {
namespace {

// Where the parts of autokernel's own program.md begin.
constexpr const char* kIntroduction = "\nYou make one CUDA kernel faster";
constexpr const char* kMatmulParts = "## What is allowed\n";
constexpr const char* kItsKernel = "kernels/kernel.cu";
constexpr const char* kItsStart = "autokernel loop start TAG";
constexpr const char* kItsBench = "autokernel bench --size";

[[nodiscard]] std::string replaced(std::string text, const std::string& from,
                                   const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

[[nodiscard]] std::string kernel_in(const std::string& folder, const std::string& name) {
  return folder == "." ? name : folder + "/" + name;
}

// What bench and start need to find the case.
[[nodiscard]] std::string case_option(const std::string& folder) {
  return folder == "." || folder == "kernels" ? "" : " --case " + shell_word(folder);
}

// The parts that hold for every case.
[[nodiscard]] std::string general_parts(const std::string& folder, const std::string& kernel_name) {
  const std::string whole = embedded::program();
  const std::size_t begin = whole.find(kIntroduction);
  const std::size_t end = whole.find(kMatmulParts);
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    throw Error(Stop::internal, "program.md has other parts than expected; please report this");
  }
  std::string text = whole.substr(begin, end - begin);
  text = replaced(text, kItsKernel, kernel_in(folder, kernel_name));
  text = replaced(text, ", --case DIR", "");
  text = replaced(text, kItsStart, kItsStart + case_option(folder));
  return replaced(text, kItsBench, "autokernel bench" + case_option(folder) + " --size");
}

[[nodiscard]] std::string case_part(const cases::Case& problem) {
  std::string text =
      fmt::format("## The case\n\n{}: {}. Tensors, in the order of the parameters:\n\n",
                  problem.name, cases::problem_line(problem, "default"));
  for (const std::string& line : tensor_lines(problem)) text += "    " + line + "\n";
  text += "\nSizes, in which `default` counts:\n\n";
  for (const std::string& line : size_lines(problem)) text += "    " + line + "\n";
  text += fmt::format("\nThe result is compared with {}. It is right if it has:\n\n",
                      reference_text(problem));
  for (const std::string& line : correctness_lines(problem)) text += "- " + line + "\n";
  text += "\nA kernel is kept for:\n\n";
  for (const std::string& line : goal_lines(problem)) text += "- " + line + "\n";
  return text + fmt::format("\nEditable: {}.\n\n", editable_text(problem));
}

[[nodiscard]] std::string allowed_in_triton(const cases::Case& problem) {
  std::vector<std::string> names;
  std::vector<std::string> symbols;
  std::vector<std::string> parameters;
  for (const auto& [symbol, value] : problem.sizes.at("default")) {
    names.push_back(symbol);
    symbols.push_back("`" + symbol + "`");
  }
  for (const cases::Tensor& tensor : problem.tensors) {
    if (!tensor.by_value) parameters.push_back(tensor.name);
  }
  std::string text = replaced(embedded::program_allowed_triton(), "{{NAMES}}",
                              fmt::format("{}", fmt::join(names, ", ")));
  text = replaced(text, "{{SYMBOLS}}", fmt::format("{}", fmt::join(symbols, ", ")));
  return replaced(text, "{{PARAMETERS}}", fmt::format("{}", fmt::join(parameters, ", ")));
}

[[nodiscard]] std::string allowed_part(const cases::Case& problem) {
  if (problem.kernel_name.ends_with(".py")) return allowed_in_triton(problem);
  std::vector<std::string> symbols;
  for (const auto& [symbol, value] : problem.sizes.at("default")) {
    symbols.push_back("`" + symbol + "`");
  }
  std::string runtime;
  for (const std::string& symbol : problem.runtime_sizes) {
    runtime += fmt::format(
        "\n- `{0}` is known at run time only: use it in AUTOKERNEL_LAUNCH, and take "
        "it as a parameter. The\n  kernel's code must be the same whatever `{0}` is.",
        symbol);
  }
  if (const auto types = problem.types.find("default"); types != problem.types.end()) {
    for (const auto& [symbol, type] : types->second) {
      runtime += fmt::format(
          "\n- `{0}` is a C++ type, {1} at `default` and another at other sizes: write "
          "`static_cast<float>(x[i])`\n  and `static_cast<{0}>(sum)`.",
          symbol, cpp_name(type));
    }
  }
  std::string text =
      replaced(embedded::program_allowed(), "{{DECLARATION}}", declaration_of(problem, "mine"));
  text = replaced(text, "{{LAUNCH}}", launch_of(problem, "mine"));
  text = replaced(text, "{{RUNTIME}}", runtime);
  text = replaced(text, "{{SYMBOLS}}", fmt::format("{}", fmt::join(symbols, ", ")));
  return replaced(text, "{{TENSOR}}", problem.tensors.front().name);
}

// The page one level of headings deeper, its title named as what it is.
[[nodiscard]] std::string playbook_part(cases::Playbook playbook) {
  std::string text;
  std::istringstream lines(embedded::playbook(playbook));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# ")) line.insert(2, "Playbook: ");
    text += (line.starts_with("#") ? "#" : "") + line + "\n";
  }
  return text + "\n";
}

// Of a case of commands.
[[nodiscard]] std::string command_part(const cases::Case& problem, const cases::CommandPlan& plan,
                                       const std::string& folder) {
  const std::string option = case_option(folder);
  std::string text = fmt::format(
      R"(
You make one program better by experiments: {}. What counts is `{}`{}: {} is better. You edit {} and nothing else.
`autokernel` builds the program, runs it confined and in turn with the incumbent, checks what it puts out, keeps what
is better and reverts the rest.

- Never run git, except a command that a message of the program tells you to run.
- Never edit the log, and change no file that is not editable: a step refuses to go on.
- What a run puts out must stay right. No stored answers: inputs are new for each pair of runs.

## The case

`autokernel case show {}` prints all of it.

)",
      problem.problem, plan.metric.name, plan.metric.unit.empty() ? "" : " in " + plan.metric.unit,
      spelling(plan.metric.better), editable_text(problem), shell_word(folder));
  if (!plan.build.empty()) text += fmt::format("- build: `{}`\n", plan.build);
  if (plan.server) {
    text += fmt::format("- server: `{}`\n", plan.server->start);
  } else {
    text += fmt::format("- run: `{}`\n- check: `{}`\n", plan.run, plan.check);
  }
  for (const cases::GuardedMetric& guard : plan.guards)
    text += fmt::format("- guard: `{}` may become at most {:g} % worse than the baseline's\n",
                        guard.metric.name, 100 * guard.most_loss);
  return text + fmt::format(R"(
## The loop

    autokernel loop status                # a run exists already: go on with it
    autokernel loop start TAG{0}
    autokernel loop step -m "what you changed, and why it should be better"

1. Profile first: know where the time, or the loss, comes from.
2. One idea an experiment. The files always hold the incumbent.
3. Read what a step prints, from `verdict` down. It has already kept the edit or put the files back.
4. `should_continue` begins with `no`: stop. Then `autokernel loop finish` measures the gain again.

| code | verdict | do |
|---|---|---|
| 0 | kept | go on from here |
| 10 | not faster | was the idea wrong, or was something else the bottleneck? |
| 16 | inconclusive | `autokernel restore N`, then `autokernel loop step --again --longer 4 -m "the same idea"` |
| 11, 12, 13, 14 | incorrect, does not compile, timed out, crashed | `reason` says why; `autokernel restore N` brings the edit back |
| 18 | over a guard-rail | the metric is better, and a guard is worse: keep the idea, and pay less for it |
| 15 | refused | another file was changed: put it back as the message says |
| 20 | refused | the budget is used up |
)",
                            option);
}

}  // namespace

std::string program_text(const cases::Case& problem, const std::string& folder) {
  const std::string command = "autokernel case program " + shell_word(folder);
  if (problem.command) {
    return visible_text(
        fmt::format("{} for the case in {}; '{}' prints it again -->\n# For a coding "
                    "agent: make {} better\n",
                    kProgramMark, folder, command, problem.name) +
        command_part(problem, *problem.command, folder));
  }
  return visible_text(
      fmt::format("{} for the case in {}; '{}' prints it again -->\n# For a coding agent: make {} "
                  "faster\n{}",
                  kProgramMark, folder, command, problem.name,
                  general_parts(folder, problem.kernel_name)) +
      case_part(problem) + allowed_part(problem) + playbook_part(problem.playbook) +
      embedded::program_structure());
}

std::string agents_text(const std::string& folder, const std::string& kernel_name) {
  std::string text =
      replaced(embedded::program_agents(), "{{KERNEL}}", kernel_in(folder, kernel_name));
  text = replaced(text, "{{CASE}}", folder);
  return replaced(text, "{{OPTION}}", case_option(folder));
}

}  // namespace autokernel::cli
