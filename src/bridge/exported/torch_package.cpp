// A kernel as an operator of PyTorch: a package for Python around the library in C.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "autokernel/bridge/exported_kernel.h"
#include "bridge/exported/export_texts.h"
#include "bridge/exported/filled_text.h"
#include "bridge/exported/launcher_source.h"
#include "bridge/exported/python_function.h"
#include "bridge/exported/python_tables.h"
#include "bridge/exported/shared_files.h"
#include "bridge/exported/signature.h"

namespace autokernel::bridge {
namespace {

[[nodiscard]] const char* ctypes_name(cases::DType dtype) {
  using cases::DType;
  switch (dtype) {
    case DType::f64:
      return "ctypes.c_double";
    case DType::f32:
    case DType::f16:
    case DType::bf16:
      return "ctypes.c_float";
    case DType::i64:
      return "ctypes.c_int64";
    case DType::i32:
      return "ctypes.c_int32";
    case DType::i16:
      return "ctypes.c_int16";
    case DType::i8:
      return "ctypes.c_int8";
    case DType::u32:
      return "ctypes.c_uint32";
    default:
      return "ctypes.c_uint8";
  }
}

// Names of tensors that are written in place, as a tuple.
[[nodiscard]] std::string mutated(const Signature& signature, bool with_outputs) {
  std::string text = "(";
  for (const ShippedOperand& tensor : signature.tensors) {
    const bool is_written =
        tensor.role == cases::Role::inout || (with_outputs && tensor.role == cases::Role::out);
    if (is_written) text += fmt::format("\"{}\", ", tensor.name);
  }
  return text + ")";
}

[[nodiscard]] std::string scalar_names(const Signature& signature) {
  std::vector<std::string> names(signature.scalars.size());
  std::ranges::transform(signature.scalars, names.begin(), &ShippedOperand::name);
  return joined(names);
}

// ("n", -2147483648, 2147483647), for whole numbers; ("alpha", None, None), for others.
[[nodiscard]] std::string scalar_ranges(const Signature& signature) {
  std::string text;
  for (const ShippedOperand& scalar : signature.scalars) {
    const WholeRange range = whole_range(scalar.dtype);
    text += range.is_whole
                ? fmt::format("(\"{}\", {}, {}), ", scalar.name, range.least, range.greatest)
                : fmt::format("(\"{}\", None, None), ", scalar.name);
  }
  return text;
}

[[nodiscard]] std::string result_schema(std::size_t made) {
  if (made == 0) return "()";
  if (made == 1) return "Tensor";
  return fmt::format("({})", joined(std::vector<std::string>(made, "Tensor")));
}

// The operator that is given what it writes into.
[[nodiscard]] std::string into_text(const std::string& name, const Signature& signature,
                                    const PythonFunction& function) {
  if (function.made.empty()) return "";
  return fmt::format(
      "\n\ndef _run_into({1}):\n    _tensors = [{2}]\n"
      "    _launch(_size_of(_tensors, _ALL), _tensors, [{3}])\n\n\n"
      "def _run_into_fakes({1}):\n    _size_of([{2}], _ALL)\n\n\n"
      "{0}_into = _define(\"{0}_into\", \"({4}) -> ()\", _run_into, _run_into_fakes, {5})\n",
      name, joined(function.tensors) + function.scalars, joined(function.tensors),
      scalar_names(signature), joined(schema_of(signature, true)), mutated(signature, true));
}

[[nodiscard]] std::string module_text(const KernelToShip& kernel, const Signature& signature) {
  const PythonFunction function = python_function(signature);
  const std::string& name = kernel.name;
  std::string types;
  for (const ShippedOperand& scalar : signature.scalars)
    types += fmt::format(", {}", ctypes_name(scalar.dtype));
  std::set<std::string> codes;
  for (const ExportedCode& code : kernel.codes) {
    for (const trial::ReadyTensor& tensor : code.kernel.tensors) {
      const ElementType type = element_type(tensor.dtype);
      codes.insert(fmt::format("torch.{}: ({}, {})", type.name, type.code, type.bits));
    }
  }
  const bool has_into = !function.made.empty();
  return filled(
      export_texts::torch_init_py(),
      {{"NAME", name},
       {"SUMMARY", summary_of(kernel)},
       {"CALL", function.call()},
       {"RETURNS", function.returns()},
       {"INTO_TEXT", has_into ? fmt::format("\n{}_into({}{}) writes into tensors that are there.",
                                            name, joined(function.tensors), function.scalars)
                              : ""},
       {"ALL", has_into ? fmt::format(R"("{0}", "{0}_into")", name) : fmt::format(R"("{}")", name)},
       {"SCALAR_TYPES", types},
       {"HOST_SCALAR_TYPES", types.empty() ? "" : fmt::format(" + [{}]", types.substr(2))},
       {"WORKSPACE_TYPE", signature.has_workspace() ? ", ctypes.c_void_p" : ""},
       {"TENSORS", python_sizes_text(kernel, signature)},
       {"SCALARS", scalar_names(signature)},
       {"SCALAR_RANGES", scalar_ranges(signature)},
       {"MUTATED", mutated(signature, false)},
       {"FIXED", fixed_text(kernel, "\n")},
       {"GRADIENT",
        mutated(signature, false) == "()" ? ": torch.library.register_autograd adds one" : ""},
       {"WORKSPACE",
        signature.has_workspace()
            ? fmt::format("    workspace = torch.empty({}, dtype=torch.uint8, device=device)\n",
                          signature.workspace_bytes)
            : ""},
       {"WORKSPACE_ARGUMENT", signature.has_workspace() ? ", workspace.data_ptr()" : ""},
       {"CODES", fmt::format("{{{}}}", fmt::join(codes, ", "))},
       {"SCHEMA", joined(schema_of(signature, false))},
       {"SCHEMA_RESULT", result_schema(function.made.size())},
       {"ARGUMENTS", function.call()},
       {"GIVEN", joined(function.given)},
       {"INTO", into_text(name, signature, function)}});
}

}  // namespace

ShippedFiles torch_package(const KernelToShip& kernel) {
  const Signature signature = signature_of(kernel);
  require_distinct_shapes(kernel);
  require_distinct_inputs(kernel, "an operator of PyTorch");
  const std::string& name = kernel.name;
  ShippedFiles files = shared_files(kernel, signature);
  for (auto& [path, text] : launcher_source(kernel, signature))
    files["csrc/" + path] = std::move(text);
  files["Makefile"] = filled(export_texts::torch_makefile(), {{"NAME", name}});
  files[name + "/__init__.py"] = module_text(kernel, signature);
  files["tests/test_" + name + ".py"] =
      filled(export_texts::torch_test_py(),
             {{"NAME", name},
              {"EXAMPLES", python_examples(kernel, signature)},
              {"MAY_BE_WRONG", fmt::format("{}", kernel.problem->may_be_wrong)}});
  std::string project = name;
  std::ranges::replace(project, '_', '-');
  files["pyproject.toml"] =
      filled(export_texts::torch_project_toml(), {{"NAME", name}, {"PROJECT", project}});
  const PythonFunction function = python_function(signature);
  const std::string result = function.made.empty() ? "" : joined(function.made) + " = ";
  const std::string usage =
      python_tensors(kernel, signature, false) +
      fmt::format("{}{}.{}({}{})", result, name, name, joined(function.given), function.scalars);
  files["README.md"] = filled(
      export_texts::torch_readme_md(),
      {{"NAME", name},
       {"SUMMARY", summary_of(kernel)},
       {"CAPABILITIES", capabilities_text(kernel)},
       {"GRADIENT",
        mutated(signature, false) == "()"
            ? fmt::format("It has no gradient:\n`torch.library.register_autograd(\"{0}::{0}\", "
                          "...)` adds one.",
                          name)
            : "It writes into its inputs, and has no gradient."},
       {"USAGE", "import torch\n\n" + usage},
       {"SIZES", sizes_text(kernel)},
       {"SHARED", shared_readme(kernel, {{name + "/", "the package"},
                                         {"csrc/", "the library that it calls, as source"},
                                         {"tests/test_" + name + ".py", "the test"}})}});
  return files;
}

}  // namespace autokernel::bridge
