#include "autokernel/trial/kernel_signature.h"

namespace autokernel::trial {

std::vector<compile::Argument> signature(const cases::Case& problem, OutputType outputs) {
  std::vector<compile::Argument> arguments;
  for (const cases::Tensor& tensor : problem.tensors) {
    const std::string& name = tensor.name;
    if (tensor.by_value) {
      const std::size_t bytes = tensor.by_value->bytes.size() / 2;
      arguments.push_back(
          {name, "autokernel::Bytes<" + std::to_string(bytes) + "> " + name, bytes});
      continue;
    }
    if (tensor.is_scalar) {
      arguments.push_back(
          {name, cpp_name(tensor.dtype) + (" " + name), cases::size_of(tensor.dtype)});
      continue;
    }
    const bool written = tensor.role != cases::Role::in;
    const bool wide = written && outputs == OutputType::fp64 && is_floating(tensor.dtype);
    const std::string element = !tensor.type_symbol.empty() ? tensor.type_symbol
                                : !tensor.element.empty()   ? tensor.element
                                                            : cpp_name(tensor.dtype);
    arguments.push_back(
        {name, (written ? "" : "const ") + (wide ? "double" : element) + "* " + name});
  }
  for (const auto& [symbol, value] : problem.sizes.at("default"))
    arguments.push_back({symbol, "int " + symbol, sizeof(std::int32_t), true});
  return arguments;
}

}  // namespace autokernel::trial
