#include "bridge/exported/python_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "autokernel/base/error.h"
#include "bridge/exported/export_texts.h"
#include "bridge/exported/filled_text.h"
#include "bridge/exported/scalar_text.h"
#include "bridge/exported/shared_files.h"

namespace autokernel::bridge {
namespace {

// (1024,) is one number in a tuple.
template <typename Range>
[[nodiscard]] std::string tuple_of(const Range& range) {
  std::string text = "(";
  for (const auto& each : range) text += fmt::format("{}, ", each);
  return text + ")";
}

template <typename Member>
[[nodiscard]] std::string quoted_names(const Signature& signature, Member member) {
  std::string text = "(";
  for (const ShippedOperand& tensor : signature.tensors)
    text += fmt::format("\"{}\", ", member(tensor));
  return text + ")";
}

}  // namespace

std::string python_names(const Signature& signature) {
  return quoted_names(signature, [](const ShippedOperand& tensor) { return tensor.name; });
}

std::string python_roles(const Signature& signature) {
  return quoted_names(signature,
                      [](const ShippedOperand& tensor) { return cases::spelling(tensor.role); });
}

std::string python_sizes(const KernelToShip& kernel, const std::string& indent) {
  std::string lines;
  for (const ExportedCode& code : kernel.codes) {
    lines += fmt::format("{}(  # {}\n", indent, size_text(code.symbols));
    for (const trial::ReadyTensor& tensor : code.kernel.tensors)
      lines += fmt::format("{}    ({}, {}, torch.{}),\n", indent, tuple_of(tensor.extents),
                           tuple_of(strides_of(tensor)), element_type(tensor.dtype).name);
    lines += indent + "),\n";
  }
  return lines;
}

std::string python_sizes_text(const KernelToShip& kernel, const Signature& signature) {
  return filled(export_texts::torch_sizes_py(), {{"NAME", kernel.name},
                                                 {"NAMES", python_names(signature)},
                                                 {"ROLES", python_roles(signature)},
                                                 {"SIZES", python_sizes(kernel, "    ")}});
}

void require_distinct_inputs(const KernelToShip& kernel, const std::string& form) {
  std::set<std::string> known;
  bool has_input = false;
  for (const ExportedCode& code : kernel.codes) {
    std::string inputs;
    for (const trial::ReadyTensor& tensor : code.kernel.tensors) {
      if (tensor.role == cases::Role::out) continue;
      has_input = true;
      inputs += shape_text(tensor.extents) + element_type(tensor.dtype).name;
    }
    if (known.insert(inputs).second) continue;
    throw Error(Stop::usage,
                fmt::format("cannot export the kernel as {}: size {} has the same inputs as "
                            "another, so that the result's shape does not follow; name the sizes "
                            "to export with --size",
                            form, code.size));
  }
  if (!has_input) {
    throw Error(
        Stop::usage,
        fmt::format("cannot export the kernel as {}: none of its inputs is a tensor", form));
  }
}

std::string python_examples(const KernelToShip& kernel, const Signature& signature) {
  std::string lines;
  for (const ExportedExample& example : kernel.examples) {
    const ExportedCode& code = code_of(kernel, example.size);
    std::string bounds;
    for (std::size_t i = 0; i < signature.tensors.size(); ++i) {
      const trial::ReadyTensor& tensor = code.kernel.tensors[i];
      if (tensor.role == cases::Role::in) continue;
      const cases::Tolerance tolerance = tolerance_in_tests(kernel, tensor);
      bounds += fmt::format("{}{}: ({}, {})", bounds.empty() ? "" : ", ", i, tolerance.absolute,
                            tolerance.relative);
    }
    lines +=
        fmt::format("    \"{}\": ({}, {}, {{{}}}),\n", example.size, &code - kernel.codes.data(),
                    tuple_of(scalar_texts(kernel, signature, example)), bounds);
  }
  return lines;
}

std::string python_tensor(const trial::ReadyTensor& tensor, const std::string& device) {
  const ElementType type = element_type(tensor.dtype);
  const bool is_drawn = cases::is_floating(tensor.dtype) && type.bits > 8;
  const bool is_compact = tensor.pitch == tensor.extents.back();
  if (!is_compact) {
    return fmt::format("torch.empty_strided({}, {}, dtype=torch.{}, device={})",
                       tuple_of(tensor.extents), tuple_of(strides_of(tensor)), type.name, device);
  }
  return fmt::format("torch.{}({}, dtype=torch.{}, device={})",
                     tensor.role == cases::Role::out ? "empty"
                     : is_drawn                      ? "randn"
                                                     : "zeros",
                     fmt::join(tensor.extents, ", "), type.name, device);
}

std::string python_tensors(const KernelToShip& kernel, const Signature& signature,
                           bool with_outputs) {
  std::string lines;
  const ExportedCode& code = kernel.codes.front();
  for (std::size_t i = 0; i < signature.tensors.size(); ++i) {
    const trial::ReadyTensor& tensor = code.kernel.tensors[i];
    if (tensor.role == cases::Role::out && !with_outputs) continue;
    lines += fmt::format("{} = {}\n", signature.tensors[i].name, python_tensor(tensor, "\"cuda\""));
  }
  return lines;
}

}  // namespace autokernel::bridge
