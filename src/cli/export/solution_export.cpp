#include "cli/export/solution_export.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <variant>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/trial/ready_kernel.h"
#include "cli/output_files.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] bridge::ExportedSize size_of(const trial::Request& request,
                                           const cases::Sizes& symbols) {
  const auto ready = trial::ready_kernel(request, "sm_90a");
  if (const auto* const why = std::get_if<std::string>(&ready)) {
    throw Error(Stop::usage, fmt::format("cannot export the kernel: at size {}, {}", request.size,
                                         visible_line(*why)));
  }
  return bridge::exported_size(std::get<trial::ReadyKernel>(ready), symbols);
}

[[nodiscard]] bridge::KernelToExport kernel_of(const ExportedSource& source) {
  trial::Request request = source.request;
  bridge::KernelToExport kernel{
      .main = source.main, .files = request.files, .operands = {}, .sizes = {}};
  kernel.files[kernel.main] = request.source;
  for (const cases::Tensor& tensor : source.problem.tensors) {
    kernel.operands.push_back({.name = tensor.name,
                               .dtype = cases::spelling(tensor.dtype),
                               .is_scalar = tensor.by_value.has_value()});
  }
  const bool is_cuda = kernel.main.ends_with(".cu");
  if (!is_cuda && !kernel.main.ends_with(".py")) {
    throw Error(Stop::usage, fmt::format("cannot export {}: kernels in CUDA C++ and in Triton can "
                                         "be solutions",
                                         visible_line(kernel.main)));
  }
  for (const auto& [name, symbols] : source.problem.sizes) {
    if (!is_cuda) break;
    request.size = name;
    kernel.sizes.push_back(size_of(request, symbols));
  }
  return kernel;
}

}  // namespace

void export_solution_of(const ExportedSource& source, bridge::SolutionFormat format,
                        const bridge::SolutionNames& names, const std::string& out,
                        const Console& console) {
  const auto text = [&](const char* name) {
    auto found = read_file_below(source.folder, name, "a definition in a case");
    if (!found) {
      throw Error(Stop::usage,
                  fmt::format("cannot export a solution of {}: it has no {}; autokernel import "
                              "makes cases of definitions",
                              visible_line(source.folder.string()), name));
    }
    return *std::move(found);
  };
  const bridge::DefinitionInCase definition = {.definition = text("definition.json"),
                                               .workloads = text("workloads.jsonl"),
                                               .problem = text("problem.json")};
  refuse_to_overwrite_source(out, "the solution");
  std::error_code unreadable;
  if (fs::exists(out, unreadable)) {
    throw Error(Stop::usage, fmt::format("cannot write the solution to {}: it is there; name "
                                         "another file",
                                         visible_line(out)));
  }
  const bridge::ExportedSolution solution =
      bridge::export_solution(kernel_of(source), definition, format, names);
  write_file_atomically(out, solution.json);
  for (const std::string& lost : solution.lost)
    console.err << "autokernel: " << visible_line(lost) << '\n';
}

}  // namespace autokernel::cli
