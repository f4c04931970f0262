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

std::vector<compile::ExpectedParameter> signature(const cases::Case& problem, OutputType outputs) {
  std::vector<compile::ExpectedParameter> parameters;
  for (const cases::Tensor& tensor : problem.tensors) {
    if (tensor.is_scalar) {
      parameters.push_back(
          {cpp_type(tensor.dtype) + (" " + tensor.name), cases::size_of(tensor.dtype)});
      continue;
    }
    const bool written = tensor.role != cases::Role::in;
    const bool wide = written && outputs == OutputType::fp64 && is_floating(tensor.dtype);
    parameters.push_back({std::string(written ? "" : "const ") +
                              (wide ? "double" : cpp_type(tensor.dtype)) + "* " + tensor.name,
                          compile::kPointerBytes});
  }
  return parameters;
}

}  // namespace autokernel::trial
