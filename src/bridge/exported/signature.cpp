#include "bridge/exported/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cases/names.h"
#include "autokernel/compile/module_objects.h"

namespace autokernel::bridge {
namespace {

// Words of C, C++ and Python that cases may use as names, and names of the parameters beside.
const std::set<std::string>& taken_names() {
  static const std::set<std::string> kNames = {
      "False",    "None",     "True",     "alignas",   "alignof",  "and",       "as",
      "asm",      "assert",   "async",    "auto",      "await",    "bool",      "break",
      "case",     "catch",    "char",     "class",     "concept",  "const",     "continue",
      "data",     "def",      "default",  "del",       "delete",   "device",    "do",
      "double",   "elif",     "else",     "enum",      "except",   "explicit",  "export",
      "extern",   "false",    "finally",  "float",     "for",      "friend",    "from",
      "given",    "global",   "goto",     "if",        "import",   "in",        "inline",
      "int",      "is",       "lambda",   "long",      "mutable",  "namespace", "new",
      "nonlocal", "not",      "operator", "or",        "pass",     "private",   "protected",
      "public",   "raise",    "register", "requires",  "restrict", "return",    "scalars",
      "self",     "short",    "signed",   "size",      "sizeof",   "static",    "stream",
      "struct",   "switch",   "template", "this",      "throw",    "true",      "try",
      "typedef",  "typename", "union",    "unsigned",  "using",    "virtual",   "void",
      "volatile", "while",    "with",     "workspace", "yield",    "torch",     "out"};
  return kNames;
}

[[nodiscard]] std::string parameter_name(const std::string& name) {
  return taken_names().contains(name) ? name + "_" : name;
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error(Stop::usage, "cannot export the kernel: " + why);
}

}  // namespace

bool can_be_called(const std::string& name) {
  return cases::is_identifier(name) && !taken_names().contains(name) && !name.starts_with('_');
}

ElementType element_type(cases::DType dtype) {
  using cases::DType;
  switch (dtype) {
    case DType::f64:
      return {2, 64, "float64", "double", "float"};
    case DType::f32:
      return {2, 32, "float32", "float", "float"};
    case DType::f16:
      return {2, 16, "float16", "float", "float"};
    case DType::bf16:
      return {4, 16, "bfloat16", "float", "float"};
    case DType::e4m3:
      return {10, 8, "float8_e4m3fn", "", ""};
    case DType::e5m2:
      return {12, 8, "float8_e5m2", "", ""};
    case DType::i64:
      return {0, 64, "int64", "int64_t", "int"};
    case DType::i32:
      return {0, 32, "int32", "int32_t", "int"};
    case DType::i16:
      return {0, 16, "int16", "int16_t", "int"};
    case DType::i8:
      return {0, 8, "int8", "int8_t", "int"};
    case DType::u32:
      return {1, 32, "uint32", "uint32_t", "int"};
    case DType::u8:
      return {1, 8, "uint8", "uint8_t", "int"};
    case DType::boolean:
      return {6, 8, "bool", "uint8_t", "bool"};
  }
  return {};
}

Signature signature_of(const KernelToShip& kernel) {
  Signature signature;
  const trial::ReadyKernel& first = kernel.codes.front().kernel;
  std::set<std::string> names;
  std::size_t value = 0;
  for (const cases::Tensor& tensor : kernel.problem->tensors) {
    if (!tensor.element.empty() && !tensor.by_value) {
      refuse(fmt::format("the elements of {} are {}, which no form has yet", tensor.name,
                         visible_line(tensor.element)));
    }
    const ShippedOperand operand{parameter_name(tensor.name), tensor.name, tensor.role,
                                 tensor.dtype};
    if (!names.insert(operand.name).second)
      refuse(fmt::format("two of its parameters would be called {}", operand.name));
    if (!tensor.is_scalar) {
      signature.tensors.push_back(operand);
      continue;
    }
    const bool is_given = first.values.at(value++).bytes.empty();
    signature.scalar_of_value.push_back(is_given ? static_cast<int>(signature.scalars.size()) : -1);
    if (!is_given) continue;
    if (*element_type(tensor.dtype).in_c == '\0') {
      refuse(fmt::format("its scalar {} is {}, which no function takes by value", tensor.name,
                         cases::spelling(tensor.dtype)));
    }
    signature.scalars.push_back(operand);
  }
  for (const ExportedCode& code : kernel.codes) {
    const compile::Program& program = code.kernel.program;
    signature.workspace_bytes =
        std::max(signature.workspace_bytes, program.declaration.workspace_bytes);
    signature.has_variables |= !compile::changeable_objects(program).empty();
  }
  return signature;
}

std::string size_text(const cases::Sizes& symbols) {
  std::string text;
  for (const auto& [symbol, value] : symbols)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", symbol, value);
  return text;
}

std::string shape_text(const std::vector<std::int64_t>& extents) {
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

std::vector<std::int64_t> strides_of(const trial::ReadyTensor& tensor) {
  std::vector<std::int64_t> strides(tensor.extents.size(), 1);
  for (std::size_t i = strides.size(); i-- > 1;)
    strides[i - 1] = strides[i] * (i + 1 == strides.size() ? tensor.pitch : tensor.extents[i]);
  return strides;
}

char role_letter(cases::Role role) {
  if (role == cases::Role::inout) return 'b';
  return role == cases::Role::in ? 'i' : 'o';
}

std::string summary_of(const KernelToShip& kernel) {
  // It stands in comments of C and in texts of Python.
  std::string text = visible_line(cases::problem_line(*kernel.problem, kernel.codes.front().size));
  for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos;)
    text.insert(at + 1, " ");
  std::ranges::replace(text, '"', '\'');
  std::ranges::replace(text, '\\', '/');
  return text;
}

}  // namespace autokernel::bridge
