#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <variant>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/bridge/exported_solution.h"
#include "autokernel/cases/names.h"
#include "autokernel/compile/size_formula.h"
#include "bridge/definition/definition.h"
#include "bridge/definition/entry_json.h"
#include "bridge/definition/input_fills.h"
#include "bridge/definition/solution_files.h"
#include "bridge/exported/cuda_units.h"
#include "bridge/exported/export_texts.h"
#include "bridge/exported/filled_text.h"

namespace autokernel::bridge {
namespace {

using document::Json;

class Exporter {
 public:
  Exporter(const KernelToExport& kernel, const DefinitionInCase& problem, SolutionFormat format,
           const SolutionNames& names)
      : kernel_(kernel),
        format_(format),
        names_(names),
        definition_(read_definition("definition.json", problem.definition)),
        problem_(parsed_entry("problem.json", problem.problem)) {
    name_operands();
  }

  [[nodiscard]] ExportedSolution exported() {
    const auto imported = kernel_.files.find(kSolutionFile);
    if (imported != kernel_.files.end() && !is_cuda()) {
      const Json json = parsed_entry(kSolutionFile, imported->second);
      const Solution solution = solution_of(kSolutionFile, json, Sources::by_path);
      if (kernel_.files.at(kernel_.main) == adapter_of(solution, problem_)) return as_it_was(json);
    }
    return {.json = with_host().dump(1) + "\n", .lost = std::move(lost_)};
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(Stop::usage, fmt::format("cannot export {}: {}", kernel_.main, why));
  }

  [[nodiscard]] bool is_cuda() const { return kernel_.main.ends_with(".cu"); }

  // By the case's names, what the definition says of its tensors and scalars.
  void name_operands() {
    const JsonEntry entry("problem.json", problem_);
    const auto name_all = [&](const char* key, const std::vector<DefinedTensor>& tensors,
                              std::vector<std::string>& names) {
      std::size_t index = 0;
      for (const Json& each : entry.at(key)) {
        if (index == tensors.size()) break;
        names.push_back(JsonEntry("problem.json", each).text("name"));
        require_name(names.back());
        if (!case_dtype(tensors[index].dtype))
          refuse(
              fmt::format("{} has the dtype {}", names.back(), visible_line(tensors[index].dtype)));
        defined_[names.back()] = &tensors[index++];
      }
    };
    name_all("inputs", definition_.inputs, inputs_);
    name_all("outputs", definition_.outputs, outputs_);
    const JsonEntry axes = entry.inner("axes");
    std::map<std::string, std::int64_t> ones;
    for (const Axis& axis : definition_.axes) {
      symbols_[axis.name] = axes.text(axis.name.c_str());
      require_name(symbols_[axis.name]);
      ones[axis.name] = 1;
    }
    for (const Axis& axis : definition_.axes) {
      // It is written into host code, and may be whatever a stranger wrote.
      const bool is_formula = axis.kind != Axis::Kind::expression ||
                              std::holds_alternative<std::int64_t>(
                                  compile::value_of(in_whole_numbers(axis.expression), ones));
      if (!is_formula) refuse(fmt::format("the axis {} is no formula", visible_line(axis.name)));
    }
    for (const ExportedOperand& operand : kernel_.operands) {
      if (!defined_.contains(operand.name))
        refuse(fmt::format("problem.json says nothing of {}", visible_line(operand.name)));
    }
  }

  void require_name(const std::string& name) const {
    if (!cases::is_identifier(name))
      refuse(fmt::format("problem.json has the name \"{}\"", visible_line(name)));
  }

  // Its own host code, with the files as they are now.
  [[nodiscard]] ExportedSolution as_it_was(Json json) const {
    const std::string folder = std::string(kSolutionFolder) + "/";
    std::set<std::string> known;
    for (Json& source : json["sources"]) {
      // As the file was called: "./a/../k.py" is k.py.
      const std::string path =
          std::filesystem::path(source["path"].get<std::string>()).lexically_normal().string();
      known.insert(path);
      const auto file = kernel_.files.find(folder + path);
      if (file == kernel_.files.end()) refuse(fmt::format("its file {} is not there", path));
      source["content"] = file->second;
    }
    for (const auto& [path, text] : kernel_.files) {
      if (!path.starts_with(folder) || path == kSolutionFile) continue;
      const std::string own = path.substr(folder.size());
      if (!known.contains(own)) json["sources"].push_back({{"path", own}, {"content", text}});
    }
    if (!names_.name.empty()) json["name"] = names_.name;
    if (!names_.author.empty()) json["author"] = names_.author;
    set_languages(json["spec"]);
    return {.json = json.dump(1) + "\n", .lost = {}};
  }

  // As the other format calls them, where that is asked for.
  void set_languages(Json& spec) const {
    const bool is_sol = format_ == SolutionFormat::sol_execbench;
    if (is_sol == spec.contains("languages")) return;
    static const std::vector<std::pair<std::string, std::string>> kNames = {
        {"python", "pytorch"}, {"cuda", "cuda_cpp"}, {"cpp", "cuda_cpp"}, {"triton", "triton"}};
    std::string from =
        is_sol ? spec["language"].get<std::string>() : spec["languages"].at(0).get<std::string>();
    for (const auto& [flashinfer, sol] : kNames) {
      if (from != (is_sol ? flashinfer : sol)) continue;
      from = is_sol ? sol : flashinfer;
      break;
    }
    if (is_sol) {
      spec["languages"] = {from};
      spec["target_hardware"] = {"LOCAL"};
    } else {
      spec["language"] = from;
    }
    spec.erase(is_sol ? "language" : "languages");
  }

  [[nodiscard]] Json with_host() {
    const bool is_sol = format_ == SolutionFormat::sol_execbench;
    std::map<std::string, std::string> sources = kernel_.files;
    sources.erase(kSolutionFile);
    Json spec;
    if (is_sol) {
      spec["languages"] = {is_cuda() ? "cuda_cpp" : "triton"};
      spec["target_hardware"] = {"LOCAL"};
    } else {
      spec["language"] = is_cuda() ? "cuda" : "triton";
      spec["target_hardware"] = {"cuda"};
    }
    spec["entry_point"] = is_cuda() ? "main.cpp::run" : "main.py::run";
    spec["dependencies"] = is_cuda() ? Json::array() : Json::array({"torch", "triton"});
    spec["destination_passing_style"] = false;
    if (is_cuda()) spec["binding"] = "torch";
    for (const char* const name : {"main.cpp", "main.py", "autokernel_host.h", "autokernel.cuh"}) {
      if (sources.contains(name)) refuse(fmt::format("a file of its is called {}", name));
    }
    if (is_cuda()) {
      add_cuda(sources);
    } else {
      sources["main.py"] = python_host();
    }
    Json list = Json::array();
    for (const auto& [path, text] : sources) list.push_back({{"path", path}, {"content", text}});
    return {{"name", names_.name.empty() ? definition_.name + "_autokernel" : names_.name},
            {"definition", definition_.name},
            {"author", names_.author.empty() ? "autokernel" : names_.author},
            {"spec", spec},
            {"sources", list},
            {"description", names_.description}};
  }

  [[nodiscard]] std::vector<std::string> extents_of(const DefinedTensor& tensor) const {
    std::vector<std::string> extents;
    for (const std::string& axis : tensor.shape.value_or(std::vector<std::string>{})) {
      const auto symbol = symbols_.find(axis);
      extents.push_back(symbol == symbols_.end() ? axis : symbol->second);
    }
    if (tensor.dtype == "float4_e2m1fn_x2" && !extents.empty()) {
      refuse(fmt::format("{} has pairs of 4-bit numbers, which cannot be handed over yet",
                         visible_line(tensor.name)));
    }
    return extents;
  }

  // Where a host finds the value of an axis that varies: tensor and dimension.
  [[nodiscard]] std::pair<std::string, std::size_t> place_of(const std::string& axis) const {
    for (const std::string& name : inputs_) {
      const auto& shape = defined_.at(name)->shape;
      if (!shape) continue;
      const auto found = std::ranges::find(*shape, axis);
      if (found != shape->end()) return {name, static_cast<std::size_t>(found - shape->begin())};
    }
    refuse(fmt::format("no input has the axis {}, so that its value is not known to host code",
                       visible_line(axis)));
  }

  // An expression with the axes by their symbols.
  [[nodiscard]] std::string renamed(const std::string& expression) const {
    std::string out;
    std::string word;
    for (const char c : expression + " ") {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
        word += c;
        continue;
      }
      const auto symbol = symbols_.find(word);
      out += symbol == symbols_.end() ? word : symbol->second;
      word.clear();
      out += c;
    }
    out.pop_back();
    return out;
  }

  // "name = value", one for each axis, with those that others follow from first.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> axes(bool in_python) const {
    std::vector<std::pair<std::string, std::string>> lines;
    for (const Axis::Kind kind :
         {Axis::Kind::constant, Axis::Kind::variable, Axis::Kind::expression}) {
      for (const Axis& axis : definition_.axes) {
        if (axis.kind != kind) continue;
        std::string value = std::to_string(axis.value);
        if (kind == Axis::Kind::variable) {
          const auto [tensor, dimension] = place_of(axis.name);
          value = in_python ? fmt::format("{}.shape[{}]", tensor, dimension)
                            : fmt::format("{}.size({})", tensor, dimension);
        }
        if (kind == Axis::Kind::expression) {
          value = renamed(axis.expression);
          if (!in_python) value = in_whole_numbers(value);
        }
        lines.emplace_back(symbols_.at(axis.name), value);
      }
    }
    return lines;
  }

  [[nodiscard]] static std::string listed(const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ", "));
  }

  [[nodiscard]] std::string python_host() const {
    std::string sizes;
    std::string dict;
    for (const auto& [symbol, value] : axes(true)) {
      sizes += fmt::format("    {} = {}\n", symbol, value);
      dict += fmt::format("{}\"{}\": {}", dict.empty() ? "" : ", ", symbol, symbol);
    }
    sizes += fmt::format("    sizes = {{{}}}", dict);
    std::string outputs;
    for (const std::string& name : outputs_) {
      const DefinedTensor& tensor = *defined_.at(name);
      const std::vector<std::string> extents = extents_of(tensor);
      outputs += fmt::format("{}    {} = torch.empty([{}], dtype=torch.{}, device=\"cuda\")",
                             outputs.empty() ? "" : "\n", name, listed(extents), tensor.dtype);
    }
    std::vector<std::string> operands;
    std::vector<std::string> arguments = {};
    for (const ExportedOperand& operand : kernel_.operands) {
      operands.push_back("\"" + operand.name + "\"");
      const auto found = defined_.find(operand.name);
      const bool is_single =
          found != defined_.end() && found->second->shape == std::vector<std::string>{};
      arguments.push_back(is_single ? operand.name + ".reshape(1)" : operand.name);
    }
    return filled(export_texts::solution_main_py(), {{"MAIN", kernel_.main},
                                                     {"OPERANDS", "[" + listed(operands) + "]"},
                                                     {"PARAMETERS", listed(inputs_)},
                                                     {"SIZES", sizes},
                                                     {"OUTPUTS", outputs},
                                                     {"ARGUMENTS", listed(arguments)},
                                                     {"RETURNED", listed(outputs_)}});
  }

  // The kernel's file once for each size, and a host that chooses.
  void add_cuda(std::map<std::string, std::string>& sources) {
    std::vector<std::string> operands(kernel_.operands.size());
    std::ranges::transform(kernel_.operands, operands.begin(), &ExportedOperand::name);
    CudaUnits units = cuda_units({.prefix = "autokernel",
                                  .main = kernel_.main,
                                  .files = std::move(sources),
                                  .operands = std::move(operands)},
                                 kernel_.sizes);
    sources = std::move(units.files);
    std::string declared;
    std::string choice;
    std::set<std::string> variables;
    for (const CudaUnit& unit : units.units) {
      declared += fmt::format("{};\n", unit.declaration);
      choice += fmt::format(
          "  if ({}) {{\n"
          "    const auto workspace = torch::{}({{{}}}, options.dtype(torch::kUInt8));\n"
          "    return {}(operands, workspace.data_ptr(), stream);\n  }}\n",
          unit.condition, unit.size->workspace_zeroed ? "zeros" : "empty",
          std::max<std::uint64_t>(unit.size->workspace_bytes, 1), unit.function);
      variables.insert(unit.size->variables.begin(), unit.size->variables.end());
    }
    sources["main.cpp"] = torch_host(units.header, declared, choice);
    lost_.push_back(
        fmt::format("the solution takes tensors of the {} sizes of the case, and refuses others",
                    units.units.size()));
    if (!variables.empty()) {
      lost_.push_back(fmt::format("nothing sets {} back between two calls, as the harness does",
                                  fmt::join(variables, ", ")));
    }
  }

  struct TorchType {
    const char* constant;  // of the dtype
    const char* cpp;       // of a scalar parameter of a function
    const char* operand;   // as the kernel takes it
  };
  [[nodiscard]] TorchType torch_type(const std::string& dtype) const {
    static const std::map<std::string, TorchType> known = {
        {"float64", {"torch::kDouble", "double", "double"}},
        {"float32", {"torch::kFloat", "double", "float"}},
        {"float16", {"torch::kHalf", "double", ""}},
        {"bfloat16", {"torch::kBFloat16", "double", ""}},
        {"float8_e4m3fn", {"torch::kFloat8_e4m3fn", "double", ""}},
        {"float8_e5m2", {"torch::kFloat8_e5m2", "double", ""}},
        {"int64", {"torch::kLong", "int64_t", "long long"}},
        {"int32", {"torch::kInt", "int64_t", "int"}},
        {"int16", {"torch::kShort", "int64_t", "short"}},
        {"int8", {"torch::kChar", "int64_t", "signed char"}},
        {"uint8", {"torch::kByte", "int64_t", "unsigned char"}},
        {"bool", {"torch::kBool", "bool", "bool"}}};
    const auto found = known.find(dtype);
    if (found == known.end())
      refuse(fmt::format("host code for {} is not there yet", visible_line(dtype)));
    return found->second;
  }

  [[nodiscard]] std::string torch_host(const std::string& header, const std::string& declared,
                                       const std::string& choice) const {
    std::vector<std::string> parameters;
    std::string checks;
    std::string values;
    std::string first;
    for (const std::string& name : inputs_) {
      const DefinedTensor& tensor = *defined_.at(name);
      const TorchType type = torch_type(tensor.dtype);
      if (!tensor.shape) {
        parameters.push_back(fmt::format("{} {}_given", type.cpp, name));
        if (*type.operand == '\0')
          refuse(fmt::format("the scalar {} is of 16 or 8 bits", visible_line(name)));
        values += fmt::format("  auto {0} = static_cast<{1}>({0}_given);\n", name, type.operand);
        continue;
      }
      if (first.empty()) first = name;
      parameters.push_back(fmt::format("const torch::Tensor& {}", name));
      checks += fmt::format(
          "  TORCH_CHECK({0}.is_cuda() && {0}.is_contiguous() && {0}.scalar_type() == {1} && "
          "{0}.dim() == {2},\n              \"{0} is to be a contiguous tensor of the GPU, {3}, "
          "with "
          "{2} dimensions\");\n",
          name, type.constant, tensor.shape->size(), tensor.dtype);
    }
    if (first.empty()) refuse("none of its inputs is a tensor");
    std::string sizes;
    for (const auto& [symbol, value] : axes(false))
      sizes += fmt::format("  const long long {} = {};\n", symbol, value);
    for (const std::string& name : inputs_) {
      const DefinedTensor& tensor = *defined_.at(name);
      if (!tensor.shape || tensor.shape->empty()) continue;
      sizes += fmt::format(
          "  TORCH_CHECK({0}.sizes() == c10::IntArrayRef({{{1}}}), \"{0} is to have "
          "the shape [{1}]\");\n",
          name, listed(extents_of(tensor)));
    }
    std::string outputs;
    for (const std::string& name : outputs_) {
      const DefinedTensor& tensor = *defined_.at(name);
      outputs += fmt::format("  auto {} = torch::empty({{{}}}, options.dtype({}));\n", name,
                             listed(extents_of(tensor)), torch_type(tensor.dtype).constant);
    }
    std::string operands;
    for (const ExportedOperand& operand : kernel_.operands) {
      const bool is_scalar = !defined_.at(operand.name)->shape;
      if (!is_scalar) values += fmt::format("  void* {0}_data = {0}.data_ptr();\n", operand.name);
      operands += fmt::format("{}{{\"{}\", &{}{}}}", operands.empty() ? "" : ", ", operand.name,
                              operand.name, is_scalar ? "" : "_data");
    }
    // A size that a launch asks for is an int or a long long: the first bytes are the same.
    for (const auto& [symbol, value] : axes(false)) {
      values += fmt::format("  long long {0}_value = {0};\n", symbol);
      operands += fmt::format(", {{\"{0}\", &{0}_value}}", symbol);
    }
    std::string message;
    for (const auto& [symbol, value] : axes(false))
      message += fmt::format(", \" {0} = \", {0}", symbol);
    const bool is_one = outputs_.size() == 1;
    std::string type = "torch::Tensor";
    if (!is_one) {
      const std::vector<std::string> types(outputs_.size(), type);
      type = fmt::format("std::tuple<{}>", listed(types));
    }
    return fmt::format(
        "// Calls the kernel in {0} with PyTorch's tensors. Made by autokernel export.\n"
        "#include <ATen/cuda/CUDAContext.h>\n#include <c10/cuda/CUDAGuard.h>\n"
        "#include <torch/extension.h>\n\n#include <tuple>\n\n#include \"autokernel_host.h\"\n\n"
        "{1}\nnamespace {{\n\n"
        "cudaError_t launch(std::vector<autokernel::Operand> operands, c10::TensorOptions "
        "options,\n"
        "                   cudaStream_t stream{2}) {{\n{3}"
        "  TORCH_CHECK(false, \"the kernel was made for other sizes than\"{4});\n}}\n\n"
        "}}  // namespace\n\n"
        "{5} run({6}) {{\n{7}{8}"
        "  const c10::cuda::CUDAGuard guard({9}.device());\n"
        "  const auto options = {9}.options();\n{10}{11}"
        "  const cudaError_t failed =\n      launch({{{12}}}, options, "
        "at::cuda::getCurrentCUDAStream(){13});\n"
        "  TORCH_CHECK(failed == cudaSuccess, cudaGetErrorString(failed));\n"
        "  return {14};\n}}\n\n"
        "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{ m.def(\"run\", &run); }}\n",
        header, declared, size_parameters(true), choice, message, type, listed(parameters), checks,
        sizes, first, outputs, values, operands, size_parameters(false),
        is_one ? outputs_[0] : "{" + listed(outputs_) + "}");
  }

  [[nodiscard]] std::string size_parameters(bool are_declared) const {
    std::string text;
    for (const auto& [symbol, value] : axes(false))
      text += fmt::format(", {}{}", are_declared ? "long long " : "", symbol);
    return text;
  }

  const KernelToExport& kernel_;
  SolutionFormat format_;
  const SolutionNames& names_;
  Definition definition_;
  Json problem_;
  std::vector<std::string> inputs_;  // by the case's names, in the definition's order
  std::vector<std::string> outputs_;
  std::map<std::string, const DefinedTensor*> defined_;
  std::map<std::string, std::string> symbols_;  // by axis
  std::vector<std::string> lost_;
};

}  // namespace

ExportedSolution export_solution(const KernelToExport& kernel, const DefinitionInCase& problem,
                                 SolutionFormat format, const SolutionNames& names) {
  return Exporter(kernel, problem, format, names).exported();
}

}  // namespace autokernel::bridge
