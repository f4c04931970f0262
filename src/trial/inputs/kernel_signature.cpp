#include "trial/inputs/kernel_signature.h"

namespace autokernel::trial {
namespace {

const char* cpp_type(cases::DType dtype) {
  switch (dtype) {
    case cases::DType::f32:
      return "float";
    case cases::DType::f16:
      return "__half";
    case cases::DType::bf16:
      return "__nv_bfloat16";
    case cases::DType::i32:
      return "int";
    case cases::DType::u8:
      return "unsigned char";
  }
  return "void";
}

}  // namespace

std::vector<compile::Argument> signature(const cases::Case& problem, OutputType outputs) {
  std::vector<compile::Argument> arguments;
  for (const cases::Tensor& tensor : problem.tensors) {
    const std::string& name = tensor.name;
    if (tensor.is_scalar) {
      arguments.push_back(
          {name, cpp_type(tensor.dtype) + (" " + name), cases::size_of(tensor.dtype)});
      continue;
    }
    const bool written = tensor.role != cases::Role::in;
    const bool wide = written && outputs == OutputType::fp64 && is_floating(tensor.dtype);
    arguments.push_back({name, std::string(written ? "" : "const ") +
                                   (wide ? "double" : cpp_type(tensor.dtype)) + "* " + name});
  }
  for (const auto& [symbol, value] : problem.sizes.at("default"))
    arguments.push_back({symbol, "int " + symbol, sizeof(std::int32_t), true});
  return arguments;
}

}  // namespace autokernel::trial
