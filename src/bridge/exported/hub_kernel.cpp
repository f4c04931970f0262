// A kernel as Hugging Face's kernel-builder takes it: CUDA C++ with a binding by PyTorch's stable
// ABI, or Triton.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <regex>

#include "autokernel/base/error.h"
#include "autokernel/bridge/exported_kernel.h"
#include "bridge/exported/export_texts.h"
#include "bridge/exported/filled_text.h"
#include "bridge/exported/python_function.h"
#include "bridge/exported/python_tables.h"
#include "bridge/exported/scalar_text.h"
#include "bridge/exported/shared_files.h"
#include "bridge/exported/source_library.h"
#include "bridge/exported/triton_source.h"

namespace autokernel::bridge {
namespace {

// As the Hub has it: "flash-attention".
[[nodiscard]] std::string hub_name(const std::string& name) {
  std::string made;
  for (const char letter : name)
    made +=
        letter == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  static const std::regex kForm("[a-z][-a-z0-9]*[a-z0-9]");
  if (std::regex_match(made, kForm)) return made;
  throw Error(Stop::usage, fmt::format("cannot export the kernel for the Hub: \"{}\" is no name of "
                                       "a kernel there; --name takes two signs or more, letters, "
                                       "digits and _, a letter or a digit last",
                                       name));
}

// An array of TOML.
[[nodiscard]] std::string listed(const std::vector<std::string>& texts) {
  std::string text = "[";
  for (const std::string& each : texts) text += fmt::format("\n  \"{}\",", each);
  return text + "\n]";
}

[[nodiscard]] std::string scalar_type_name(cases::DType dtype) {
  using cases::DType;
  switch (dtype) {
    case DType::f64:
      return "Double";
    case DType::f32:
      return "Float";
    case DType::f16:
      return "Half";
    case DType::bf16:
      return "BFloat16";
    case DType::e4m3:
      return "Float8_e4m3fn";
    case DType::e5m2:
      return "Float8_e5m2";
    case DType::i64:
      return "Long";
    case DType::i32:
      return "Int";
    case DType::i16:
      return "Short";
    case DType::i8:
      return "Char";
    case DType::u32:
      return "UInt32";
    case DType::u8:
      return "Byte";
    case DType::boolean:
      return "Bool";
  }
  return "Float";
}

// How the schema's types of scalars are called in C++.
[[nodiscard]] std::string boxed_type(cases::DType dtype) {
  const std::string schema = element_type(dtype).schema;
  return schema == "float" ? "double" : schema == "int" ? "int64_t" : "bool";
}

[[nodiscard]] std::string binding_tables(const KernelToShip& kernel) {
  std::string tables;
  for (const ExportedCode& code : kernel.codes) {
    tables += "    {\n";
    for (const trial::ReadyTensor& tensor : code.kernel.tensors) {
      tables += fmt::format("        {{\"{}\", ScalarType::{}, \"{}\", {}, {{{}}}, {{{}}}}},\n",
                            tensor.name, scalar_type_name(tensor.dtype),
                            element_type(tensor.dtype).name, tensor.extents.size(),
                            fmt::join(tensor.extents, ", "), fmt::join(strides_of(tensor), ", "));
    }
    tables += "    },\n";
  }
  return tables;
}

// Of a size, which may be called "llm-7b".
[[nodiscard]] std::string method_name(std::string size) {
  std::ranges::replace_if(
      size, [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  return size;
}

// What a file of the folder is made of, beside the parts that all of Python has.
class HubKernel {
 public:
  explicit HubKernel(const KernelToShip& kernel)
      : kernel_(kernel),
        signature_(signature_of(kernel)),
        function_(python_function(signature_)),
        hub_name_(hub_name(kernel.name)),
        module_(hub_name_) {
    std::ranges::replace(module_, '-', '_');
    author_ = kernel.author.empty() ? "autokernel" : kernel.author;
  }

  [[nodiscard]] ShippedFiles made() {
    require_distinct_shapes(kernel_);
    require_distinct_inputs(kernel_, "a kernel for the Hub");
    files_ = shared_files(kernel_, signature_);
    std::string framework;
    if (kernel_.main.ends_with(".py")) {
      framework = "\n[torch-noarch]\n";
      for (auto& [path, text] : triton_source(kernel_, signature_))
        files_[fmt::format("torch-ext/{}/{}", module_, path)] = std::move(text);
    } else {
      framework = add_cuda();
    }
    files_["build.toml"] = filled(export_texts::hub_build_toml(), {{"HUB_NAME", hub_name_},
                                                                   {"LICENCE", licence()},
                                                                   {"AUTHOR", author_},
                                                                   {"FRAMEWORK", framework}});
    files_["flake.nix"] = filled(export_texts::hub_flake_nix(), {{"HUB_NAME", hub_name_}});
    files_[".gitattributes"] = "*.bin filter=lfs diff=lfs merge=lfs -text\n";
    files_["CARD.md"] = card();
    files_["tests/__init__.py"] = "";
    files_["tests/test_" + module_ + ".py"] =
        filled(export_texts::package_test_py(),
               {{"NAME", kernel_.name},
                {"MODULE", module_},
                {"EXAMPLES", python_examples(kernel_, signature_)},
                {"MAY_BE_WRONG", fmt::format("{}", kernel_.problem->may_be_wrong)}});
    files_["benchmarks/benchmark_" + module_ + ".py"] = benchmark();
    return std::move(files_);
  }

 private:
  // The Hub's word for a licence: it has them in small letters.
  [[nodiscard]] std::string licence() const {
    std::string id = kernel_.licence.id;
    std::ranges::transform(id, id.begin(), [](unsigned char letter) {
      return static_cast<char>(std::tolower(letter));
    });
    return id;
  }

  // What build.toml says of it.
  [[nodiscard]] std::string add_cuda() {
    const std::string folder = module_ + "_cuda";
    std::vector<std::string> sources;
    SourceLibrary library = source_library(kernel_, signature_);
    sources.reserve(library.files.size());
    for (auto& [path, text] : library.files) {
      sources.push_back(fmt::format("{}/{}", folder, path));
      files_[sources.back()] = std::move(text);
    }
    files_["torch-ext/torch_binding.h"] = filled(
        export_texts::hub_binding_h(), {{"NAME", kernel_.name}, {"PARAMETERS", parameters()}});
    files_["torch-ext/torch_binding.cpp"] = binding();
    files_["torch-ext/" + module_ + "/__init__.py"] = init();
    return fmt::format(
        "\n[torch]\nsrc = [\n  \"torch-ext/torch_binding.cpp\",\n  "
        "\"torch-ext/torch_binding.h\",\n]\n"
        "include = [\"{0}\"]\n\n"
        "# The version from which on the binding runs, however it was built.\n"
        "[torch.stable-abi]\ncuda = \"2.11\"\n\n"
        "[kernel.{1}]\nbackend = \"cuda\"\ncuda-capabilities = {2}\ncuda-flags = {4}\n"
        "depends = [\"torch\"]\ninclude = [\"{0}\"]\nsrc = {3}\n",
        folder, module_, listed(capability_numbers(kernel_)), listed(sources),
        listed(nvcc_flags(kernel_)));
  }

  [[nodiscard]] std::string parameters() const {
    std::vector<std::string> texts;
    texts.reserve(signature_.tensors.size() + signature_.scalars.size() + 1);
    for (const ShippedOperand& tensor : signature_.tensors) {
      texts.push_back(fmt::format("{}torch::stable::Tensor& {}",
                                  tensor.role == cases::Role::in ? "const " : "", tensor.name));
    }
    for (const ShippedOperand& scalar : signature_.scalars)
      texts.push_back(fmt::format("{} {}", boxed_type(scalar.dtype), scalar.name));
    if (signature_.has_workspace()) texts.emplace_back("torch::stable::Tensor& workspace");
    return joined(texts);
  }

  [[nodiscard]] std::string binding() const {
    std::vector<std::string> addresses;
    std::vector<std::string> arguments;
    addresses.reserve(function_.tensors.size());
    for (const std::string& tensor : function_.tensors) {
      addresses.push_back("&" + tensor);
      arguments.push_back(tensor + ".data_ptr()");
    }
    for (const ShippedOperand& scalar : signature_.scalars) {
      arguments.push_back(
          fmt::format("static_cast<{}>({})", element_type(scalar.dtype).in_c, scalar.name));
    }
    arguments.emplace_back(signature_.has_workspace() ? "workspace.data_ptr()" : "nullptr");
    std::string sizes;
    for (const ExportedCode& code : kernel_.codes)
      sizes += fmt::format("    {},\n", symbols_text(code));
    std::string ranges;
    for (const ShippedOperand& scalar : signature_.scalars) {
      const WholeRange range = whole_range(scalar.dtype);
      if (!range.is_whole || boxed_type(scalar.dtype) != "int64_t") continue;
      ranges += fmt::format(
          "  if ({0} < {1} || {0} > {2}) refuse(\"{0} must be from {3} to {4}\");\n", scalar.name,
          c_number(range.least), c_number(range.greatest), range.least, range.greatest);
    }
    const std::string check =
        signature_.has_workspace()
            ? fmt::format(
                  "  if (!workspace.is_cuda() || workspace.numel() < "
                  "static_cast<int64_t>({0}_workspace_bytes(sizes)))\n"
                  "    refuse(\"the workspace is too small, or not on a CUDA device\");\n",
                  kernel_.name)
            : "";
    return filled(export_texts::hub_binding_cpp(),
                  {{"NAME", kernel_.name},
                   {"PARAMETERS", parameters()},
                   {"COUNT", std::to_string(signature_.tensors.size())},
                   {"TABLES", binding_tables(kernel_)},
                   {"SIZE_ROWS", sizes},
                   {"ADDRESSES", joined(addresses)},
                   {"ARGUMENTS", joined(arguments)},
                   {"WORKSPACE_CHECK", ranges + check},
                   {"ALIGNMENT", std::to_string(trial::judged_alignment())},
                   {"SCHEMA", schema()}});
  }

  [[nodiscard]] std::string schema() const {
    std::vector<std::string> texts = schema_of(signature_, true);
    if (signature_.has_workspace()) texts.emplace_back("Tensor(w!) workspace");
    return joined(texts);
  }

  [[nodiscard]] std::string init() const {
    std::string unpack;
    for (std::size_t i = 0; i < function_.made.size(); ++i)
      unpack += fmt::format("    {} = made[{}]\n", function_.made[i], i);
    return filled(
        export_texts::hub_init_py(),
        {{"NAME", kernel_.name},
         {"SUMMARY", summary_of(kernel_)},
         {"CALL", function_.call()},
         {"KEYWORDS", function_.keywords()},
         {"RETURNS", function_.returns()},
         {"TENSORS", python_sizes_text(kernel_, signature_)},
         {"ALL_TENSORS", joined(function_.tensors)},
         {"GIVEN", joined(function_.given)},
         {"MADE", joined(function_.made)},
         {"UNPACK", unpack},
         {"WORKSPACE", signature_.has_workspace()
                           ? fmt::format("    workspace = torch.empty({}, dtype=torch.uint8, "
                                         "device=given[0].device)\n",
                                         signature_.workspace_bytes)
                           : ""},
         {"OPERATOR_ARGUMENTS", joined(function_.tensors) + function_.scalars +
                                    (signature_.has_workspace() ? ", workspace" : "")}});
  }

  // Tensors of a size, and a call, as Python.
  [[nodiscard]] std::string usage() const {
    return python_tensors(kernel_, signature_, false) +
           fmt::format("{}{}.{}({})", function_.made.empty() ? "" : joined(function_.made) + " = ",
                       module_, kernel_.name, function_.call());
  }

  [[nodiscard]] std::string card() const {
    const bool is_triton = kernel_.main.ends_with(".py");
    std::vector<std::pair<std::string, std::string>> files = {
        {"torch-ext/", "the operator, and its function in Python"}};
    if (!is_triton) files.insert(files.begin(), {module_ + "_cuda/", "the kernel, as source"});
    return filled(
        export_texts::hub_card_md(),
        {{"HUB_NAME", hub_name_},
         {"MODULE", module_},
         {"AUTHOR", author_},
         {"LICENCE", licence()},
         {"SUMMARY", summary_of(kernel_)},
         {"CAPABILITIES", capabilities_text(kernel_)},
         {"USAGE", usage()},
         {"BUILT",
          is_triton ? "It is compiled by Triton, when it is first called."
                    : "autokernel measures a kernel as NVRTC compiles it; nvcc, of another version "
                      "perhaps, may\nmake something else of the same source."},
         {"SIZES", sizes_text(kernel_)},
         {"SHARED", shared_readme(kernel_, files)}});
  }

  // A method for each size that there is an example of, whose scalars it takes.
  [[nodiscard]] std::string benchmark() const {
    std::string methods;
    for (const ExportedExample& example : kernel_.examples) {
      const ExportedCode& code = code_of(kernel_, example.size);
      std::string lines;
      for (std::size_t i = 0; i < signature_.tensors.size(); ++i) {
        const trial::ReadyTensor& tensor = code.kernel.tensors[i];
        if (tensor.role == cases::Role::out) continue;
        lines += fmt::format("        self.given_{} = {}\n", signature_.tensors[i].name,
                             python_tensor(tensor, "self.device"));
      }
      std::vector<std::string> arguments;
      arguments.reserve(function_.given.size());
      for (const std::string& name : function_.given) arguments.push_back("self.given_" + name);
      for (const std::string& scalar : scalar_texts(kernel_, signature_, example))
        arguments.push_back(scalar);
      methods += fmt::format(
          "    def setup_{0}(self):\n{1}\n    def benchmark_{0}(self):\n"
          "        self.out = self.kernel.{2}({3})\n\n",
          method_name(example.size), lines, kernel_.name, joined(arguments));
    }
    std::string class_name;
    bool is_first = true;
    for (const char letter : module_) {
      if (letter == '_') {
        is_first = true;
        continue;
      }
      class_name +=
          is_first ? static_cast<char>(std::toupper(static_cast<unsigned char>(letter))) : letter;
      is_first = false;
    }
    return filled(export_texts::hub_benchmark_py(),
                  {{"CLASS", class_name}, {"METHODS", methods.substr(0, methods.size() - 1)}});
  }

  const KernelToShip& kernel_;
  Signature signature_;
  PythonFunction function_;
  std::string hub_name_;
  std::string module_;
  std::string author_;
  ShippedFiles files_;
};

}  // namespace

ShippedFiles hub_kernel(const KernelToShip& kernel) { return HubKernel(kernel).made(); }

}  // namespace autokernel::bridge
