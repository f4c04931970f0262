// `autokernel import`: cases of what others have written.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/bridge/cuda_source.h"
#include "autokernel/bridge/definition.h"
#include "autokernel/bridge/foreign_problem.h"
#include "autokernel/cases/case.h"
#include "autokernel/compile/confined_python.h"
#include "autokernel/trial/ready_kernel.h"
#include "autokernel/trial/sources.h"
#include "cli/case/description.h"
#include "cli/case/new_files.h"
#include "cli/commands.h"
#include "cli/import/found_problems.h"
#include "cli/import/local_headers.h"
#include "cli/shell_word.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

class Import : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "import"; }
  [[nodiscard]] std::string summary() const override {
    return "Make cases of CUDA sources with host code, and of benchmark problems";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  [[nodiscard]] bool is_wanted(const std::string& kernel) const;
  void write(const bridge::ImportedCase& imported, const Console& console);
  [[nodiscard]] int import_source(const Console& console);
  [[nodiscard]] int import_problems(const std::vector<FoundProblem>& problems,
                                    const Console& console);
  [[nodiscard]] std::vector<bridge::ImportedProblem> imported(const FoundProblem& problem) const;
  [[nodiscard]] std::filesystem::path python(const std::string& problem) const;
  void name_python(std::string& case_text) const;
  void write_problem(const std::filesystem::path& file, bridge::ImportedProblem problem,
                     const Console& console);
  // Makes the case `name`, or one with a number behind that; what it is called then.
  std::string make_case(const std::string& name, const std::map<std::string, std::string>& texts);

  std::string file_;
  std::vector<std::string> include_;
  std::optional<std::string> kernel_;
  std::string out_ = "cases";
  bool allow_ = false;
  bool lax_ = false;
  std::optional<std::string> python_;
  std::vector<std::string> made_;
};

constexpr const char* kImportExamples = R"(Examples:
  autokernel import softmax.cu
  autokernel import softmax.cu --kernel softmax_forward --out work
  autokernel import src/ops.cu --include include
  autokernel import level1/19_ReLU.py --allow        # a problem of KernelBench
  autokernel import level1 --allow                   # all of a folder
  autokernel import SOL-ExecBench/examples           # definitions, of FlashInfer Trace as well

Each kernel that the file launches becomes a case: what the device needs of the file is its
kernel.cu, and sizes, tensors and the launch are taken from the host code, as far as that says
them. Nothing is run. IMPORT.md of a case lists what is left to fill in, what was taken for
granted, and what was left out.

A problem of another benchmark becomes a case whose reference is its own, in PyTorch. Those of
KernelBench and gpu-mode (task.yml) are run, confined to a folder of their own without network and
GPU, to find the tensors: --allow says that they may.)";

// Why the kernel of a case does not compile; none where it does. Nothing is run.
[[nodiscard]] std::optional<std::string> refused_by_the_compiler(const fs::path& folder) {
  try {
    const cases::CaseFiles files = cases::read_files(folder);
    const cases::Case problem = cases::parse(files);
    trial::Request request;
    request.case_directory = folder;
    request.kernel_file = problem.kernel_file();
    request.source = cases::read_kernel(problem.kernel_file(), {}, "the kernel").text;
    trial::take_case(request, files);
    // What is special about Hopper, such as its copy engine, is allowed.
    const auto ready = trial::ready_kernel(request, "sm_90a");
    if (const auto* why = std::get_if<std::string>(&ready)) return *why;
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();  // also of a compiler that breaks: the other kernels come after it
  }
}

// Short enough for a folder.
[[nodiscard]] std::string folder_for(const std::string& kernel) {
  constexpr std::size_t kLongest = 64;
  return kernel.substr(0, kLongest);
}

// A name for a folder: of those who wrote the problem, it may hold anything.
[[nodiscard]] std::string folder_named(const std::string& name) {
  std::string folder;
  for (const char c : folder_for(name)) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
                          c == '-' || c == '+' || (c == '.' && !folder.empty());
    folder += is_plain ? c : '_';
  }
  return folder.empty() ? "problem" : folder;
}

// What declares the type of a tensor's elements; empty for types of C++'s own.
[[nodiscard]] std::string header_of(const cases::Tensor& tensor) {
  if (tensor.element == "__nv_fp4x2_e2m1") return "cuda_fp4.h";
  switch (tensor.dtype) {
    case cases::DType::f16:
      return "cuda_fp16.h";
    case cases::DType::bf16:
      return "cuda_bf16.h";
    case cases::DType::e4m3:
    case cases::DType::e5m2:
      return "cuda_fp8.h";
    default:
      return {};
  }
}

// A kernel that does nothing yet, under the case's contract.
[[nodiscard]] std::string empty_kernel(const cases::Case& problem) {
  std::string kernel = "// Write the kernel here: reference.py says what it computes.\n";
  for (const cases::Tensor& tensor : problem.tensors) {
    const std::string header = header_of(tensor);
    const std::string line = "#include <" + header + ">\n";
    if (!header.empty() && kernel.find(line) == std::string::npos) kernel += line;
  }
  return kernel +
         fmt::format(
             "#include <autokernel.cuh>\n\nAUTOKERNEL_LAUNCH({{.kernel = \"mine\", .grid = "
             "{{1}}, .block = {{256}}}});\n\n{} {{}}\n",
             declaration_of(problem, "mine"));
}

// A file that a task names, which may lie one folder up: what several tasks share.
[[nodiscard]] std::optional<std::string> file_of_task(const fs::path& folder,
                                                      const std::string& path) {
  const fs::path file = (folder / path).lexically_normal();
  for (const fs::path& root : {folder, folder.parent_path()}) {
    if (file.parent_path() == root)
      return read_file_below(root, file.filename(), "a file of the problem");
  }
  return std::nullopt;
}

}  // namespace

void Import::declare(Options options) {
  options.footer(kImportExamples);
  options
      .add_option(
          "FILE", file_,
          "A .cu file with host code, a problem (.py, .json, task.yml), or a folder of problems")
      .required();
  options
      .add_option("--include", include_,
                  "Look for its headers in this folder as well; may be repeated")
      .type_name("DIR");
  options.add_option("--kernel", kernel_, "Import kernels with that in their names")
      .type_name("TEXT");
  options.add_option("--out", out_, "Folder for the cases [cases]").type_name("DIR");
  options.add_flag("--allow", allow_, "Let a problem's Python run, confined, to find its tensors");
  options.add_flag("--lax", lax_, "Let elements be wrong where the problem's benchmark does");
  options
      .add_option(
          "--python", python_,
          "The Python to run it, with PyTorch, and the references of the cases (default: the "
          "active one)")
      .type_name("PATH");
}

bool Import::is_wanted(const std::string& kernel) const {
  return !kernel_ || kernel.find(*kernel_) != std::string::npos;
}

std::string Import::make_case(const std::string& name,
                              const std::map<std::string, std::string>& texts) {
  const fs::path root = fs::absolute(out_).lexically_normal();
  std::string chosen = name;
  std::error_code unreadable;
  for (int i = 2; fs::exists(fs::symlink_status(root / chosen, unreadable)); ++i)
    chosen = fmt::format("{}_{}", name, i);
  std::vector<NewFile> files;
  for (const auto& [path, text] : texts) {
    if (path != "case.toml") files.push_back({.path = fs::path(chosen) / path, .bytes = text});
  }
  // Last: a folder with a case.toml is a whole case.
  files.push_back({.path = fs::path(chosen) / "case.toml", .bytes = texts.at("case.toml")});
  make_folders(root);
  write_new_files(root, files);
  made_.push_back(chosen);
  return chosen;
}

void Import::write(const bridge::ImportedCase& imported, const Console& console) {
  const std::string name = make_case(folder_for(imported.kernel), imported.files);
  const fs::path root = fs::absolute(out_).lexically_normal();
  console.out << fmt::format("{}:{}  {}\n    case      {}\n", visible_line(file_), imported.line,
                             visible_line(imported.kernel),
                             visible_line((fs::path(out_) / name).string()));
  for (const bridge::Note& blank : imported.blanks) {
    console.out << fmt::format("    fill in   {}:{}  {}\n", visible_line(blank.file), blank.line,
                               visible_line(blank.text));
  }
  for (const bridge::Note& note : imported.assumptions)
    console.out << fmt::format("    assumed   {}:{}  {}\n", visible_line(note.file), note.line,
                               visible_line(note.text));
  if (imported.blanks.empty()) {
    const auto refused = refused_by_the_compiler(root / name);
    console.out << "    compiles  "
                << (refused ? "no: " + visible_line(refused->substr(0, refused->find('\n')))
                            : std::string("yes"))
                << '\n';
  }
  console.out << std::flush;
}

fs::path Import::python(const std::string& problem) const {
  return compile::runnable_python(python_.value_or(compile::active_python()), "import " + problem,
                                  "--python PATH, or");
}

std::vector<bridge::ImportedProblem> Import::imported(const FoundProblem& problem) const {
  const std::string name = problem.file.filename().string();
  const std::string text = read_file(problem.file, "the problem to import");
  if (problem.kind == ProblemKind::definition) {
    const fs::path workloads = workloads_of(problem.file);
    return bridge::import_definition(
        {.definition_file = problem.file.string(),
         .definition = text,
         .workloads_file = workloads.string(),
         .workloads = read_file(workloads, "the workloads of a definition"),
         .lax = lax_,
         .blob = [&](const std::string& path) { return blob_of(problem.file, path); }},
        allow_ ? std::optional(python(name)) : std::nullopt);
  }
  if (!allow_) {
    throw Error(
        Stop::usage,
        fmt::format("cannot import {}: it is Python, which has to be run to find its tensors; "
                    "--allow lets it run, confined to a folder of its own, without network "
                    "and GPU",
                    visible_line(problem.file.string())));
  }
  if (problem.kind == ProblemKind::kernelbench)
    return {bridge::import_problem({.file = name, .text = text}, python(name))};
  const fs::path folder = fs::absolute(problem.file).lexically_normal().parent_path();
  return {bridge::import_gpu_mode(
      {.name = folder.filename().string(),
       .task_file = problem.file.string(),
       .task = text,
       .file = [&](const std::string& path) { return file_of_task(folder, path); }},
      python(name))};
}

// The Python that was named to describe the problem runs its reference, too.
void Import::name_python(std::string& case_text) const {
  const std::string kind = "kind = \"python\"\n";
  const std::size_t at = case_text.find(kind);
  if (!python_ || at == std::string::npos) return;
  const std::string path = python("it").string();
  // A literal of TOML has no quotes in it.
  if (path.find('\'') != std::string::npos || visible_line(path) != path) return;
  case_text.insert(at + kind.size(), fmt::format("python = '{}'\n", path));
}

void Import::write_problem(const fs::path& file, bridge::ImportedProblem problem,
                           const Console& console) {
  name_python(problem.files.at("case.toml"));
  problem.files["kernel.cu"] = empty_kernel(cases::parse(problem.files.at("case.toml"), {}));
  const std::string name = make_case(folder_named(problem.name), problem.files);
  console.out << fmt::format("{}\n    case      {}\n", visible_line(file.string()),
                             visible_line((fs::path(out_) / name).string()));
  for (const std::string& note : problem.notes)
    console.out << fmt::format("    assumed   {}\n", visible_line(note));
  console.out << std::flush;
}

int Import::import_problems(const std::vector<FoundProblem>& problems, const Console& console) {
  std::size_t failed = 0;
  for (const FoundProblem& problem : problems) {
    try {
      for (bridge::ImportedProblem& each : imported(problem))
        write_problem(problem.file, std::move(each), console);
    } catch (const Error& error) {
      // One of many does not stop the others.
      if (problems.size() == 1 || error.stop() != Stop::usage) throw;
      ++failed;
      console.out << fmt::format("{}\n    no case   {}\n", visible_line(problem.file.string()),
                                 visible_line(error.what()))
                  << std::flush;
    }
  }
  if (problems.size() > 1)
    console.out << fmt::format("\n{} of {} imported\n", problems.size() - failed, problems.size());
  if (made_.empty()) return static_cast<int>(Stop::usage);
  console.out << fmt::format("\nNext: write the kernel, then\n  autokernel bench --case {}\n",
                             visible_line(shell_word((fs::path(out_) / made_.front()).string())));
  const bool has_definition = std::ranges::any_of(problems, [](const FoundProblem& problem) {
    return problem.kind == ProblemKind::definition;
  });
  if (has_definition)
    console.out << "  autokernel evaluate SOLUTION.json   # or judge a solution\n";
  return failed > 0 ? static_cast<int>(Stop::usage) : 0;
}

int Import::run(const Console& console) {
  if (out_.empty()) throw Error(Stop::usage, "cannot make cases: --out is empty; name a folder");
  const fs::path file = file_;
  std::error_code unreadable;
  if (fs::is_directory(file, unreadable)) {
    const std::vector<FoundProblem> problems = problems_in(file);
    if (!problems.empty()) return import_problems(problems, console);
  } else if (const auto kind = problem_kind(file)) {
    return import_problems({{*kind, file}}, console);
  }
  if (file.extension() != ".cu" && file.extension() != ".cuh") {
    throw Error(Stop::usage,
                fmt::format("cannot import {}: it is no .cu or .cuh file, no problem (.py, "
                            "definition.json, task.yml), and no folder with problems",
                            visible_line(file_)));
  }
  return import_source(console);
}

int Import::import_source(const Console& console) {
  const fs::path file = file_;
  for (const std::string& folder : include_) {
    std::error_code unreadable;
    if (!fs::is_directory(folder, unreadable))
      throw Error(Stop::usage, fmt::format("cannot look for headers in {}: it is no folder",
                                           visible_line(folder)));
  }
  const std::string text = read_file(file, "the source to import");
  LocalHeaders headers(file, include_);
  headers.add_those_of(text);
  const bridge::ImportedSource imported =
      bridge::import_cuda_source(file.filename().string(), text, headers.all());
  for (const bridge::ImportedCase& each : imported.cases) {
    if (!is_wanted(each.kernel)) continue;
    write(each, console);
  }
  for (const bridge::NotImported& other : imported.others) {
    if (!is_wanted(other.kernel)) continue;
    console.out << fmt::format("{}:{}  {}\n    no case   {}\n", visible_line(file_), other.line,
                               visible_line(other.kernel), visible_line(other.reason));
  }
  if (made_.empty()) {
    console.err << fmt::format("autokernel: no case was made of {}: {}\n", visible_line(file_),
                               imported.cases.empty() && imported.others.empty()
                                   ? "it has no __global__ function"
                               : kernel_ ? "no kernel that can be imported has that in its name"
                                         : "see above");
    return static_cast<int>(Stop::usage);
  }
  const std::string first = shell_word((fs::path(out_) / made_.front()).string());
  console.out << fmt::format(
      "\nHost code was left out; IMPORT.md of each case lists it.\nNext:\n"
      "  autokernel case check {0} --device cpu   # once nothing is left to fill in\n"
      "  autokernel bench --case {0}\n",
      visible_line(first));
  return 0;
}

std::unique_ptr<Command> import_command() { return std::make_unique<Import>(); }

}  // namespace autokernel::cli
