#include "cli/case/description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "autokernel/base/visible_text.h"
#include "autokernel/trial/kernel_signature.h"

namespace autokernel::cli {
namespace {

// A bound as case.toml has it, which is a number or a formula.
[[nodiscard]] std::string bound(double value, const std::string& formula) {
  return formula.empty() ? fmt::format("{}", value) : formula;
}

[[nodiscard]] std::string fill_text(const cases::Fill& fill, bool is_scalar) {
  if (is_scalar && fill.low == fill.high && fill.low_formula == fill.high_formula) {
    return bound(fill.low, fill.low_formula);
  }
  const std::string range = fmt::format("from {} to {}", bound(fill.low, fill.low_formula),
                                        bound(fill.high, fill.high_formula));
  switch (fill.distribution) {
    case cases::Distribution::normal:
      return "normal";
    case cases::Distribution::uniform:
      return "uniform " + range;
    case cases::Distribution::integers:
      return is_scalar ? range : "integers " + range;
    case cases::Distribution::sorted:
      return "sorted integers " + range;
    case cases::Distribution::offsets:
      return "offsets " + range;
    case cases::Distribution::captured:
      if (fill.use == cases::CapturedUse::drawn) return "drawn from captured values";
      return fill.use == cases::CapturedUse::kept ? "as captured" : "captured, lowest bits drawn";
    case cases::Distribution::permutation:
      break;
  }
  return "a permutation in each row";
}

// "f32", and of a type with another name to the harness that as well: "u8 (__nv_fp8_e8m0)".
[[nodiscard]] std::string type_text(const cases::Tensor& tensor) {
  if (!tensor.type_symbol.empty()) return tensor.type_symbol;
  if (tensor.element.empty()) return spelling(tensor.dtype);
  return fmt::format("{} ({})", spelling(tensor.dtype), tensor.element);
}

[[nodiscard]] std::string tensor_text(const cases::Tensor& tensor) {
  if (tensor.by_value) {
    std::vector<std::string> leads_to;
    for (const auto& pointer : tensor.by_value->pointers) leads_to.push_back(pointer.tensor);
    return fmt::format("struct of {} bytes{}{}", tensor.by_value->bytes.size() / 2,
                       leads_to.empty() ? "" : " with the addresses of ",
                       fmt::join(leads_to, ", "));
  }
  if (tensor.is_scalar) {
    return fmt::format("scalar {} {}", spelling(tensor.dtype), fill_text(tensor.fill, true));
  }
  std::string text = fmt::format("{} {} [{}]", spelling(tensor.role), type_text(tensor),
                                 fmt::join(tensor.shape, ", "));
  if (tensor.role != cases::Role::out) text += ", " + fill_text(tensor.fill, false);
  if (!tensor.pitch.empty()) text += fmt::format(", a row every {} elements", tensor.pitch);
  return text;
}

[[nodiscard]] std::string sizes_text(const std::map<std::string, std::string>& symbols) {
  std::vector<std::string> parts;
  parts.reserve(symbols.size());
  for (const auto& [symbol, text] : symbols) parts.push_back(fmt::format("{}={}", symbol, text));
  return fmt::format("{}", fmt::join(parts, " "));
}

// Written without digits that nobody reads: "67.1 M".
[[nodiscard]] std::string counted(double value) {
  constexpr std::array kScales = {" ", " k", " M", " G", " T", " P"};
  std::size_t scale = 0;
  while (value >= 1000 && scale + 1 < kScales.size()) {
    value /= 1000;
    ++scale;
  }
  return fmt::format("{:.3g}{}", value, kScales.at(scale));
}

[[nodiscard]] std::string memory_text(std::uint64_t bytes) {
  constexpr double kKiB = 1024;
  const auto value = static_cast<double>(bytes);
  if (value < kKiB) return fmt::format("{} B", bytes);
  if (value < kKiB * kKiB) return fmt::format("{:.1f} KiB", value / kKiB);
  return fmt::format("{:.1f} MiB", value / kKiB / kKiB);
}

// Behind a key, with the lines after the first below it.
[[nodiscard]] std::string listed(const char* key, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += fmt::format("{:<18}{}\n", text.empty() ? key : "", line);
  }
  return text;
}

}  // namespace

std::string declaration_of(const cases::Case& problem, const std::string& kernel) {
  if (problem.kernel_name.ends_with(".py")) {
    std::vector<std::string> names;
    for (const cases::Tensor& tensor : problem.tensors) {
      if (!tensor.by_value) names.push_back(tensor.name);
    }
    return fmt::format("def launch({})", fmt::join(names, ", "));
  }
  std::vector<std::string> parameters;
  for (const auto& each : trial::signature(problem, trial::OutputType::declared)) {
    const bool is_runtime_size =
        std::ranges::find(problem.runtime_sizes, each.name) != problem.runtime_sizes.end();
    if (!each.is_size || is_runtime_size) parameters.push_back(each.text);
  }
  return fmt::format("extern \"C\" __global__ void {}({})", kernel, fmt::join(parameters, ", "));
}

std::string launch_of(const cases::Case& problem, const std::string& kernel) {
  if (problem.kernel_name.ends_with(".py")) return "    KERNEL[GRID](...)";
  std::string arguments;
  if (!problem.runtime_sizes.empty()) {
    for (const cases::Tensor& tensor : problem.tensors) arguments += tensor.name + ", ";
    arguments =
        fmt::format(", .arguments = \"{}{}\"", arguments, fmt::join(problem.runtime_sizes, ", "));
  }
  return fmt::format(
      "AUTOKERNEL_LAUNCH({{.kernel = \"{}\", .grid = {{BLOCKS}}, .block = {{THREADS}}{}}});",
      kernel, arguments);
}

std::vector<SizeFigures> figures_of_sizes(const cases::Case& problem) {
  std::vector<SizeFigures> all;
  for (const auto& [name, sizes] : problem.sizes) {
    SizeFigures figures{.name = name, .sizes = sizes};
    const cases::Case typed = cases::at_size(problem, name);
    for (const cases::Tensor& tensor : typed.tensors) {
      if (tensor.is_scalar) continue;
      figures.tensor_bytes += cases::element_count(tensor, sizes) * cases::size_of(tensor.dtype);
    }
    figures.flops = cases::flops_at(problem, name);
    figures.bytes = cases::bytes_at(problem, name);
    figures.intensity = cases::intensity_at(problem, name);
    all.push_back(std::move(figures));
  }
  std::ranges::sort(all, {}, [](const SizeFigures& each) {
    return std::pair(each.name == "default" ? 0 : each.name == "check" ? 1 : 2, each.name);
  });
  return all;
}

std::vector<std::string> tensor_lines(const cases::Case& problem) {
  std::size_t widest = 0;
  for (const auto& tensor : problem.tensors) widest = std::max(widest, tensor.name.size());
  std::vector<std::string> lines;
  lines.reserve(problem.tensors.size());
  for (const cases::Tensor& tensor : problem.tensors) {
    lines.push_back(fmt::format("{:<{}}  {}", tensor.name, widest, tensor_text(tensor)));
  }
  return lines;
}

std::vector<std::string> size_lines(const cases::Case& problem) {
  const std::vector<SizeFigures> all = figures_of_sizes(problem);
  std::size_t widest = 0;
  for (const SizeFigures& each : all) widest = std::max(widest, each.name.size());
  std::vector<std::string> lines;
  lines.reserve(all.size());
  for (const SizeFigures& each : all) {
    lines.push_back(fmt::format(
        "{:<{}}  {}: {} of tensors, {}FLOP, {}B moved, {:.3g} FLOP per "
        "byte",
        each.name, widest, sizes_text(cases::symbol_texts(problem, each.name)),
        memory_text(each.tensor_bytes), counted(each.flops), counted(each.bytes), each.intensity));
  }
  return lines;
}

std::vector<std::string> correctness_lines(const cases::Case& problem) {
  if (std::holds_alternative<cases::ExactAlways>(problem.exactness)) {
    return {"each element has the bits of the reference's"};
  }
  const auto within = [](const cases::Tolerance& tolerance) {
    return fmt::format("each element within {} + {} * |expected|", tolerance.absolute,
                       tolerance.relative);
  };
  std::vector<std::string> lines;
  lines.reserve(problem.tolerances.size());
  for (const auto& [type, tolerance] : problem.tolerances)
    lines.push_back(fmt::format("{}, in {}", within(tolerance), spelling(type)));
  bool has_others = false;
  for (const cases::Tensor& tensor : problem.tensors) {
    if (tensor.tolerance) lines.push_back(within(*tensor.tolerance) + ", in " + tensor.name);
    has_others = has_others || (tensor.role != cases::Role::in && !tensor.tolerance);
  }
  if (problem.tolerances.empty() && has_others) lines.push_back(within(problem.tolerance));
  if (const auto* sum = std::get_if<cases::SumOfProducts>(&problem.exactness)) {
    lines.push_back(
        fmt::format("the bits of the reference's on inputs whose sums over {} are exact "
                    "in any order",
                    sum->symbol));
  }
  const auto* kernel = std::get_if<cases::KernelReference>(&problem.reference);
  if (kernel != nullptr && !kernel->fp64_file.empty()) {
    lines.emplace_back("the root mean square error against fp64 at most 1.5 times the reference's");
  }
  if (problem.may_be_wrong > 0) {
    lines.push_back(fmt::format("of a result, {:.3g} % of the elements may be wrong",
                                100 * problem.may_be_wrong));
  }
  if (problem.deterministic) lines.emplace_back("the same bits each time on the same inputs");
  return lines;
}

std::string reference_text(const cases::Case& problem) {
  if (const auto* gemm = std::get_if<cases::GemmReference>(&problem.reference)) {
    return fmt::format("{} = {} x {}, by cuBLAS or OpenBLAS", gemm->output, gemm->left,
                       gemm->right);
  }
  if (const auto* python = std::get_if<cases::PythonReference>(&problem.reference))
    return python->file.string() + ", in Python";
  const auto& kernel = std::get<cases::KernelReference>(problem.reference);
  if (kernel.fp64_file.empty()) return kernel.file.string();
  return fmt::format("{}; its errors are measured from {}", kernel.file.string(),
                     kernel.fp64_file.string());
}

std::vector<std::string> baseline_files(const cases::Case& problem) {
  std::vector<std::string> files;
  files.reserve(problem.baselines.size());
  for (const cases::BaselineProgram& baseline : problem.baselines)
    files.push_back(baseline.file.string());
  return files;
}

std::string editable_text(const cases::Case& problem) {
  std::vector<std::string> files = {problem.kernel_name};
  for (const std::string& pattern : problem.editable_files.patterns()) files.push_back(pattern);
  return fmt::format("{}", fmt::join(files, ", "));
}

std::vector<std::string> goal_lines(const cases::Case& problem) {
  const cases::Goal& goal = problem.goal;
  std::vector<std::string> lines;
  const auto at_most = [&](const char* what, const auto& most) {
    if (most) lines.push_back(fmt::format("at most {} {}", *most, what));
  };
  for (const auto& [size, weight] : goal.score)
    lines.push_back(fmt::format("the time at {}, weight {}", size, weight));
  at_most("registers per thread", goal.registers);
  at_most("bytes spilled per thread", goal.spill_bytes);
  at_most("bytes of shared memory per block", goal.shared_bytes);
  at_most("as the largest absolute error", goal.max_abs_error);
  at_most("as the largest relative error", goal.max_rel_error);
  for (const auto& [size, loss] : goal.most_loss)
    lines.push_back(fmt::format("at most {:g} % lost at {}", 100 * loss, size));
  for (const std::string& symbol : problem.runtime_sizes)
    lines.push_back(fmt::format("one compiled kernel for every {}", symbol));
  if (lines.empty()) lines.emplace_back("the time at the size of the run");
  return lines;
}

std::string description_text(const cases::Case& problem, const std::string& size) {
  const cases::Sizes& sizes = problem.sizes.at(size);
  std::vector<std::string> tensors = tensor_lines(problem);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const cases::Tensor& tensor = problem.tensors.at(i);
    if (tensor.is_scalar) continue;
    tensors.at(i) += fmt::format(" ({})", fmt::join(cases::extents(tensor, sizes), " x "));
  }
  return visible_text(
      listed("name:", {problem.name}) + listed("folder:", {problem.directory.string()}) +
      listed("problem:", {cases::problem_line(problem, size)}) + listed("tensors:", tensors) +
      listed("sizes:", size_lines(problem)) + listed("reference:", {reference_text(problem)}) +
      listed("baselines:", baseline_files(problem)) +
      listed("tolerance:", correctness_lines(problem)) + listed("goal:", goal_lines(problem)) +
      listed("playbook:", {spelling(problem.playbook)}) +
      listed("editable:", {editable_text(problem)}) +
      listed("declaration:", {declaration_of(problem, "NAME"), launch_of(problem, "NAME")}));
}

}  // namespace autokernel::cli
