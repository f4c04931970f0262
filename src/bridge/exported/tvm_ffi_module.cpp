// A kernel as a module of TVM-FFI: the library in C, with what TVM-FFI calls.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "autokernel/bridge/exported_kernel.h"
#include "bridge/exported/export_texts.h"
#include "bridge/exported/filled_text.h"
#include "bridge/exported/launcher_source.h"
#include "bridge/exported/python_tables.h"
#include "bridge/exported/shared_files.h"
#include "bridge/exported/signature.h"

namespace autokernel::bridge {
namespace {

// Memory of the kernel's own comes from whatever the caller's framework allocates with.
[[nodiscard]] std::string workspace_text(const KernelToShip& kernel, const Signature& signature) {
  if (!signature.has_workspace()) return "";
  return fmt::format(
      "    int64_t bytes = (int64_t){}_workspace_bytes();\n"
      "    DLTensor like = {{NULL, {{(DLDeviceType)tensors[0]->device_type, "
      "tensors[0]->device_id}}, 1, {{kDLUInt, 8, 1}}, &bytes, NULL, 0}};\n"
      "    if (TVMFFIEnvTensorAlloc(&like, &allocated) != 0) return -1;\n"
      "    void *workspace = ((DLTensor *)((char *)allocated + sizeof(TVMFFIObject)))->data;\n",
      kernel.name);
}

[[nodiscard]] std::string binding(const KernelToShip& kernel, const Signature& signature) {
  const std::string& name = kernel.name;
  std::vector<std::string> names;
  std::vector<std::string> arguments;
  std::vector<std::string> not_tensors;
  std::vector<std::string> not_numbers;
  std::string checks;
  for (const ShippedOperand& tensor : signature.tensors) {
    arguments.push_back(fmt::format("tensors[{}]", names.size()));
    names.push_back(tensor.name);
    not_tensors.push_back(fmt::format("\"{}: {} is not a tensor\"", name, tensor.name));
  }
  for (const ShippedOperand& scalar : signature.scalars) {
    const ElementType type = element_type(scalar.dtype);
    const WholeRange range = whole_range(scalar.dtype);
    arguments.push_back(
        range.is_whole ? fmt::format("({})arguments[{}].v_int64", type.in_c, names.size())
                       : fmt::format("({})number_in(&arguments[{}])", type.in_c, names.size()));
    if (range.is_whole) {
      checks += fmt::format(
          "  if (!is_whole(&arguments[{0}], {1}, {2}))\n    return raise_error(\"ValueError\", "
          "\"{3}: {4} must be a whole number from {5} to {6}\");\n",
          names.size(), c_number(range.least), c_number(range.greatest), name, scalar.name,
          range.least, range.greatest);
    }
    names.push_back(scalar.name);
    not_numbers.push_back(fmt::format("\"{}: {} is not a number\"", name, scalar.name));
  }
  if (not_numbers.empty()) not_numbers.emplace_back("NULL");
  return filled(export_texts::tvm_ffi_c(),
                {{"NAME", name},
                 {"CALL", fmt::format("{}", fmt::join(names, ", "))},
                 {"TAKES", fmt::format("{}", fmt::join(names, ", "))},
                 {"COUNT", std::to_string(signature.tensors.size())},
                 {"SCALAR_COUNT", std::to_string(signature.scalars.size())},
                 {"RANGE_CHECKS", checks},
                 {"NOT_TENSORS", fmt::format("{}", fmt::join(not_tensors, ", "))},
                 {"NOT_NUMBERS", fmt::format("{}", fmt::join(not_numbers, ", "))},
                 {"ARGUMENTS", fmt::format("{}", fmt::join(arguments, ", "))},
                 {"WORKSPACE", workspace_text(kernel, signature)},
                 {"WORKSPACE_ARGUMENT", signature.has_workspace() ? ", workspace" : ""}});
}

}  // namespace

ShippedFiles tvm_ffi_module(const KernelToShip& kernel) {
  const Signature signature = signature_of(kernel);
  require_distinct_shapes(kernel);
  const std::string& name = kernel.name;
  ShippedFiles files = shared_files(kernel, signature);
  files.merge(launcher_source(kernel, signature));
  files[name + "_tvm_ffi.c"] = binding(kernel, signature);
  files["Makefile"] = filled(export_texts::tvm_ffi_makefile(), {{"NAME", name}});
  files["tests/test_" + name + ".py"] =
      filled(export_texts::tvm_ffi_test_py(),
             {{"NAME", name},
              {"NAMES", python_names(signature)},
              {"ROLES", python_roles(signature)},
              {"SIZES", python_sizes(kernel, "    ")},
              {"EXAMPLES", python_examples(kernel, signature)},
              {"MAY_BE_WRONG", fmt::format("{}", kernel.problem->may_be_wrong)}});
  std::vector<std::string> arguments;
  arguments.reserve(signature.tensors.size() + signature.scalars.size());
  for (const ShippedOperand& tensor : signature.tensors) arguments.push_back(tensor.name);
  for (const ShippedOperand& scalar : signature.scalars) arguments.push_back(scalar.name);
  files["README.md"] =
      filled(export_texts::tvm_ffi_readme_md(),
             {{"NAME", name},
              {"SUMMARY", summary_of(kernel)},
              {"CAPABILITIES", capabilities_text(kernel)},
              {"USAGE", "import torch\n\n" + python_tensors(kernel, signature, true) +
                            fmt::format("module.{}({})", name, fmt::join(arguments, ", "))},
              {"SIZES", sizes_text(kernel)},
              {"SHARED", shared_readme(kernel, {{name + "_tvm_ffi.c", "what TVM-FFI calls"},
                                                {name + ".c", "the launcher, and what it launches"},
                                                {name + "_images.h", "the machine code, as bytes"},
                                                {"tests/test_" + name + ".py", "the test"}})}});
  return files;
}

}  // namespace autokernel::bridge
