// `autokernel export`: a kernel of a case, for others to use.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/bridge/exported_solution.h"
#include "autokernel/cases/case.h"
#include "autokernel/trial/ready_kernel.h"
#include "autokernel/trial/sources.h"
#include "cli/commands.h"
#include "cli/default_case.h"
#include "cli/kernel_case.h"
#include "cli/kernel_sources.h"
#include "cli/output_files.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

class Export : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "export"; }
  [[nodiscard]] std::string summary() const override {
    return "Write a kernel as a solution of FlashInfer Trace or SOL-ExecBench";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  [[nodiscard]] bridge::KernelToExport kernel(const fs::path& folder) const;

  std::optional<std::string> case_directory_;
  std::optional<std::string> kernel_file_;
  std::string format_;
  std::string out_;
  bridge::SolutionNames names_;
};

constexpr const char* kExportExamples = R"(Examples:
  autokernel export --case cases/rmsnorm_h4096 --format sol-execbench --out solution.json
  autokernel export --case cases/rmsnorm_h4096 --kernel best --format flashinfer-trace --out s.json

The solution has the kernel as it is, and host code that calls it with PyTorch's tensors. A
solution that was imported keeps its own host code. What the format cannot hold is told.
)";

const std::map<std::string, bridge::SolutionFormat> kFormats = {
    {"flashinfer-trace", bridge::SolutionFormat::flashinfer_trace},
    {"sol-execbench", bridge::SolutionFormat::sol_execbench}};

// What the file calls a kernel of that name in the module: "_Z4rowsPf" is rows(float*). Empty for
// an instance of a template, and for one in a namespace: those are launched by their addresses.
[[nodiscard]] std::string plain_name(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  std::size_t at = 2;
  std::size_t length = 0;
  while (at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])) != 0)
    length = 10 * length + static_cast<std::size_t>(name[at++] - '0');
  const bool is_whole = length > 0 && at + length < name.size() && name[at + length] != 'I';
  return is_whole ? name.substr(at, length) : "";
}

[[nodiscard]] bridge::ExportedSize exported_size(const trial::Request& request,
                                                 const cases::Sizes& symbols) {
  const auto ready = trial::ready_kernel(request, "sm_90a");
  if (const auto* const why = std::get_if<std::string>(&ready)) {
    throw Error(Stop::usage, fmt::format("cannot export the kernel: at size {}, {}", request.size,
                                         visible_line(*why)));
  }
  const auto& kernel = std::get<trial::ReadyKernel>(ready);
  if (!kernel.maps.empty())
    throw Error(Stop::usage,
                "cannot export the kernel: host code for tensor maps is not there yet");
  bridge::ExportedSize size{.symbols = symbols,
                            .kernels = {},
                            .workspace_bytes = kernel.program.declaration.workspace_bytes,
                            .workspace_zeroed = kernel.program.declaration.workspace_zeroed};
  for (const trial::ReadyLaunch& each : kernel.launches) {
    const std::string name = plain_name(each.launch.kernel);
    const bool is_new = std::ranges::find(size.kernels, name) == size.kernels.end();
    if (!name.empty() && is_new) size.kernels.push_back(name);
  }
  return size;
}

}  // namespace

void Export::declare(Options options) {
  options.footer(kExportExamples);
  add_case(options, case_directory_);
  options
      .add_option("--kernel", kernel_file_,
                  "Kernel to export: its file, or a folder (default: the case's)")
      .type_name("FILE|DIR");
  options.add_option("--format", format_, "flashinfer-trace or sol-execbench")
      .type_name("FORMAT")
      .required();
  options.add_option("--out", out_, "Write it to FILE").type_name("FILE").required();
  options.add_option("--name", names_.name, "Name of the solution (default: by the definition)")
      .type_name("TEXT");
  options.add_option("--author", names_.author, "Who made it [autokernel]").type_name("TEXT");
}

bridge::KernelToExport Export::kernel(const fs::path& folder) const {
  trial::Request request;
  request.case_directory = fs::absolute(folder);
  cases::CaseFiles files = cases::read_files(request.case_directory);
  const cases::Case problem = cases::parse(files);
  require_kernel(problem, "autokernel export");
  trial::take_case(request, std::move(files));
  request.kernel_file = problem.kernel_file();
  cases::EditableFiles others = problem.editable_files;
  if (kernel_file_) {
    request.kernel_file = fs::absolute(main_file(*kernel_file_, problem.kernel_name));
    others = other_files(*kernel_file_, others);
  } else {
    others = other_files(request.kernel_file, others);
  }
  cases::KernelSource source = cases::read_kernel(request.kernel_file, others, "the kernel");
  request.source = source.text;
  request.files = source.files;
  bridge::KernelToExport kernel{.main = request.kernel_file.filename().string(),
                                .files = std::move(source.files),
                                .operands = {},
                                .sizes = {}};
  kernel.files[kernel.main] = source.text;
  for (const cases::Tensor& tensor : problem.tensors) {
    kernel.operands.push_back({.name = tensor.name,
                               .dtype = cases::spelling(tensor.dtype),
                               .is_scalar = tensor.by_value.has_value()});
  }
  const bool is_cuda = request.kernel_file.extension() == ".cu";
  if (!is_cuda && request.kernel_file.extension() != ".py") {
    throw Error(Stop::usage, fmt::format("cannot export {}: kernels in CUDA C++ and in Triton can "
                                         "be solutions",
                                         visible_line(kernel.main)));
  }
  for (const auto& [name, symbols] : problem.sizes) {
    if (!is_cuda) break;
    request.size = name;
    kernel.sizes.push_back(exported_size(request, symbols));
  }
  return kernel;
}

int Export::run(const Console& console) {
  const auto format = kFormats.find(format_);
  if (format == kFormats.end()) {
    throw Error(Stop::usage, fmt::format("cannot export: --format is \"{}\"; write "
                                         "flashinfer-trace or sol-execbench",
                                         visible_line(format_)));
  }
  const fs::path folder =
      case_directory_ ? existing_case(*case_directory_) : default_case(fs::current_path());
  const auto text = [&](const char* name) {
    auto found = read_file_below(folder, name, "a definition in a case");
    if (!found) {
      throw Error(Stop::usage,
                  fmt::format("cannot export a solution of {}: it has no {}; autokernel import "
                              "makes cases of definitions",
                              visible_line(folder.string()), name));
    }
    return *std::move(found);
  };
  const bridge::DefinitionInCase definition = {.definition = text("definition.json"),
                                               .workloads = text("workloads.jsonl"),
                                               .problem = text("problem.json")};
  refuse_to_overwrite_source(out_, "the solution");
  std::error_code unreadable;
  if (fs::exists(out_, unreadable))
    throw Error(Stop::usage, fmt::format("cannot write the solution to {}: it is there; name "
                                         "another file",
                                         visible_line(out_)));
  names_.description = "Exported by autokernel.";
  const bridge::ExportedSolution solution =
      bridge::export_solution(kernel(folder), definition, format->second, names_);
  write_file_atomically(out_, solution.json);
  for (const std::string& lost : solution.lost)
    console.err << "autokernel: " << visible_line(lost) << '\n';
  return 0;
}

std::unique_ptr<Command> export_command() { return std::make_unique<Export>(); }

}  // namespace autokernel::cli
