// `case show --json`.
#include <nlohmann/json.hpp>

#include "cli/case/description.h"

namespace autokernel::cli {
namespace {

using Json = nlohmann::ordered_json;

[[nodiscard]] Json tensor_json(const cases::Tensor& tensor, const cases::Sizes& sizes) {
  Json json = {{"name", tensor.name},
               {"role", tensor.by_value    ? "struct"
                        : tensor.is_scalar ? "scalar"
                                           : spelling(tensor.role)},
               {"dtype", spelling(tensor.dtype)},
               {"shape", tensor.shape},
               {"extents", cases::extents(tensor, sizes)},
               {"pitch", tensor.pitch.empty() ? Json() : Json(tensor.pitch)},
               {"fill", nullptr},
               {"low", nullptr},
               {"high", nullptr},
               {"absolute", nullptr},
               {"relative", nullptr}};
  if (tensor.tolerance) {
    json["absolute"] = tensor.tolerance->absolute;
    json["relative"] = tensor.tolerance->relative;
  }
  if (tensor.role == cases::Role::out || tensor.by_value) return json;
  const cases::Fill fill = cases::fill_at(tensor.fill, sizes);
  json["fill"] = spelling(fill.distribution);
  if (fill.distribution == cases::Distribution::normal ||
      fill.distribution == cases::Distribution::permutation ||
      fill.distribution == cases::Distribution::captured) {
    return json;
  }
  json["low"] = fill.low;
  json["high"] = fill.high;
  return json;
}

[[nodiscard]] Json size_json(const cases::Case& problem, const SizeFigures& figures) {
  Json types = Json::object();
  if (const auto found = problem.types.find(figures.name); found != problem.types.end()) {
    for (const auto& [symbol, type] : found->second) types[symbol] = spelling(type);
  }
  return {{"name", figures.name},
          {"symbols", figures.sizes},
          {"types", types},
          {"tensor_bytes", figures.tensor_bytes},
          {"flops", figures.flops},
          {"bytes", figures.bytes},
          {"intensity", figures.intensity}};
}

[[nodiscard]] const char* exactness_name(const cases::Exactness& exactness) {
  if (std::holds_alternative<cases::ExactAlways>(exactness)) return "always";
  return std::holds_alternative<cases::SumOfProducts>(exactness) ? "sum-of-products" : "never";
}

[[nodiscard]] Json reference_json(const cases::Reference& reference) {
  if (const auto* python = std::get_if<cases::PythonReference>(&reference))
    return {{"kind", "python"}, {"file", python->file.string()}, {"fp64_file", nullptr}};
  const auto* kernel = std::get_if<cases::KernelReference>(&reference);
  if (kernel == nullptr)
    return {{"kind", "cublas_gemm"}, {"file", nullptr}, {"fp64_file", nullptr}};
  const std::string fp64 = kernel->fp64_file.string();
  return {{"kind", "kernel"},
          {"file", kernel->file.string()},
          {"fp64_file", fp64.empty() ? Json(nullptr) : Json(fp64)}};
}

}  // namespace

std::string description_json(const cases::Case& problem, const std::string& size) {
  const cases::Sizes& values = problem.sizes.at(size);
  Json tensors = Json::array();
  const cases::Case typed = cases::at_size(problem, size);
  for (const cases::Tensor& tensor : typed.tensors) tensors.push_back(tensor_json(tensor, values));
  Json sizes = Json::array();
  for (const SizeFigures& figures : figures_of_sizes(problem))
    sizes.push_back(size_json(problem, figures));
  Json tolerances = Json::object();
  for (const auto& [type, tolerance] : problem.tolerances)
    tolerances[spelling(type)] = {{"absolute", tolerance.absolute},
                                  {"relative", tolerance.relative}};
  std::vector<std::string> editable = {problem.kernel_name};
  for (const std::string& pattern : problem.editable_files.patterns()) editable.push_back(pattern);
  const Json description = {{"schema_version", 1},
                            {"name", problem.name},
                            {"folder", problem.directory.string()},
                            {"problem", cases::problem_line(problem, size)},
                            {"size", size},
                            {"playbook", spelling(problem.playbook)},
                            {"tensors", tensors},
                            {"sizes", sizes},
                            {"reference", reference_json(problem.reference)},
                            {"baselines", baseline_files(problem)},
                            {"exact", exactness_name(problem.exactness)},
                            {"absolute", typed.tolerance.absolute},
                            {"relative", typed.tolerance.relative},
                            {"tolerances", tolerances},
                            {"may_be_wrong", problem.may_be_wrong},
                            {"deterministic", problem.deterministic},
                            {"goal", goal_lines(problem)},
                            {"runtime_sizes", problem.runtime_sizes},
                            {"editable", editable},
                            {"declaration", declaration_of(problem, "NAME")}};
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  return description.dump(2, ' ', false, kReplace) + "\n";
}

}  // namespace autokernel::cli
