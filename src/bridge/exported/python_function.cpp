#include "bridge/exported/python_function.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace autokernel::bridge {

std::string joined(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string PythonFunction::call() const { return joined(given) + scalars; }

std::string PythonFunction::keywords() const {
  std::string text;
  for (const std::string& name : made)
    text += fmt::format("{}, {}=None", text.empty() ? ", *" : "", name);
  return text;
}

std::string PythonFunction::returns() const { return made.empty() ? "" : " -> " + joined(made); }

PythonFunction python_function(const Signature& signature) {
  PythonFunction function;
  for (const ShippedOperand& tensor : signature.tensors) {
    function.tensors.push_back(tensor.name);
    auto& where = tensor.role == cases::Role::out ? function.made : function.given;
    where.push_back(tensor.name);
  }
  for (const ShippedOperand& scalar : signature.scalars) function.scalars += ", " + scalar.name;
  return function;
}

std::vector<std::string> schema_of(const Signature& signature, bool with_outputs) {
  std::vector<std::string> schema;
  int number = 0;
  for (const ShippedOperand& tensor : signature.tensors) {
    if (tensor.role == cases::Role::out && !with_outputs) continue;
    schema.push_back(tensor.role == cases::Role::in
                         ? "Tensor " + tensor.name
                         : fmt::format("Tensor(a{}!) {}", number++, tensor.name));
  }
  for (const ShippedOperand& scalar : signature.scalars)
    schema.push_back(fmt::format("{} {}", element_type(scalar.dtype).schema, scalar.name));
  return schema;
}

}  // namespace autokernel::bridge
