#include "bridge/exported/signature.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cases/names.h"
#include "autokernel/compile/module_objects.h"

namespace autokernel::bridge {
namespace {

// Words of C, C++ and Python that cases may use as names, and names of the parameters beside.
const std::set<std::string>& taken_names() {
  static const std::set<std::string> kNames = [] {
    std::istringstream words(
        // Of C, C++ and Python.
        "False None True alignas alignof and as asm assert async auto await bool break case catch "
        "char class concept const continue def default del delete do double elif else enum except "
        "explicit export extern false finally float for friend from global goto if import in "
        "inline "
        "int is lambda long mutable namespace new nonlocal not operator or pass private protected "
        "public raise register requires restrict return self short signed sizeof static struct "
        "switch template this throw true try typedef typename union unsigned using virtual void "
        "volatile while with yield linux unix i386 NULL TRY PUBLIC EOF "
        // Of functions, macros and variables around the parameters.
        "add add_shape address_of at bytes call call_on_host capabilities check_capability choice "
        "copy_in copy_out cuda data device driver_failed encode enter entries failed given guard "
        "has_shapes "
        "has_types i kernel lambda launch launch_all launch_one leave load lock main maps memory "
        "message number open_driver operands ops out plans printf refuse require_layout run "
        "scalars "
        "set_back shape_of size size_of sizes state status stream suits tensors torch type_name "
        "workspace wrong_shapes wrong_strides wrong_types kAlignment kExpected kSizes Tensor "
        "printed std zip tuple list range len torch_binding TENSORS SIZES SCALARS arguments count "
        "result handle module ctypes os");
    std::set<std::string> names;
    for (std::string word; words >> word;) names.insert(word);
    return names;
  }();
  return kNames;
}

// `kernel`: what the export is called, by which all of its own names begin.
[[nodiscard]] std::string parameter_name(const std::string& name, const std::string& kernel) {
  const bool is_taken = taken_names().contains(name) || name == kernel ||
                        name.starts_with(kernel + "_") || name.ends_with("_value") ||
                        name.ends_with("_bytes") || name.ends_with("_bits");
  return is_taken ? name + "_" : name;
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error(Stop::usage, "cannot export the kernel: " + why);
}

}  // namespace

bool can_be_called(const std::string& name) {
  // A library with a function of that name would take the place of the C library's.
  return cases::is_identifier(name) && !taken_names().contains(name) && !name.starts_with('_') &&
         dlsym(RTLD_DEFAULT, name.c_str()) == nullptr;
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
  std::set<std::string> names;
  std::size_t value = 0;
  for (const cases::Tensor& tensor : kernel.problem->tensors) {
    if (!tensor.element.empty() && !tensor.by_value) {
      refuse(fmt::format("the elements of {} are {}, which no form has yet", tensor.name,
                         visible_line(tensor.element)));
    }
    const ShippedOperand operand{parameter_name(tensor.name, kernel.name), tensor.name, tensor.role,
                                 tensor.dtype};
    if (!names.insert(operand.name).second)
      refuse(fmt::format("two of its parameters would be called {}", operand.name));
    if (!tensor.is_scalar) {
      signature.tensors.push_back(operand);
      continue;
    }
    // One that has a value of its own at some sizes alone is the caller's at all.
    const bool is_given = std::ranges::any_of(kernel.codes, [&](const ExportedCode& code) {
      return code.kernel.values.at(value).bytes.empty();
    });
    ++value;
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

void require_distinct_shapes(const KernelToShip& kernel) {
  for (std::size_t i = 0; i < kernel.codes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const ExportedCode& one = kernel.codes[j];
      const ExportedCode& other = kernel.codes[i];
      const bool are_alike = std::ranges::equal(
          one.kernel.tensors, other.kernel.tensors, [](const auto& a, const auto& b) {
            return a.extents == b.extents && a.pitch == b.pitch && a.dtype == b.dtype;
          });
      if (!are_alike) continue;
      refuse(
          fmt::format("sizes {} and {} have the same tensors, so that nothing tells which code a "
                      "call is for; export one of them (--size), or a patch, whose function "
                      "takes the sizes",
                      one.size, other.size));
    }
  }
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

WholeRange whole_range(cases::DType dtype) {
  using cases::DType;
  switch (dtype) {
    case DType::i64:
      return {true, std::numeric_limits<std::int64_t>::min(),
              std::numeric_limits<std::int64_t>::max()};
    case DType::i32:
      return {true, std::numeric_limits<std::int32_t>::min(),
              std::numeric_limits<std::int32_t>::max()};
    case DType::i16:
      return {true, std::numeric_limits<std::int16_t>::min(),
              std::numeric_limits<std::int16_t>::max()};
    case DType::i8:
      return {true, std::numeric_limits<std::int8_t>::min(),
              std::numeric_limits<std::int8_t>::max()};
    case DType::u32:
      return {true, 0, std::numeric_limits<std::uint32_t>::max()};
    case DType::u8:
      return {true, 0, std::numeric_limits<std::uint8_t>::max()};
    case DType::boolean:
      return {true, 0, 1};
    default:
      return {};
  }
}

std::string c_number(std::int64_t number) {
  if (number == std::numeric_limits<std::int64_t>::min()) return "INT64_MIN";
  return fmt::format("INT64_C({})", number);
}

std::string fixed_text(const KernelToShip& kernel, const std::string& before) {
  std::string text;
  for (const cases::Tensor& tensor : kernel.problem->tensors) {
    const bool is_fixed = tensor.is_scalar && !tensor.by_value &&
                          tensor.fill.low_formula == tensor.fill.high_formula &&
                          tensor.fill.low == tensor.fill.high;
    if (!is_fixed) continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", tensor.name,
                        tensor.fill.low_formula.empty() ? fmt::format("{}", tensor.fill.low)
                                                        : visible_line(tensor.fill.low_formula));
  }
  return text.empty() ? "" : before + "Built in: " + text + ".";
}

char role_letter(cases::Role role) {
  if (role == cases::Role::inout) return 'b';
  return role == cases::Role::in ? 'i' : 'o';
}

std::string summary_of(const KernelToShip& kernel) {
  // It stands in comments of C and in texts of Python.
  std::string text =
      visible_line(cases::problem_line(*kernel.problem, kernel.codes.front().case_size));
  std::ranges::replace(text, '"', '\'');
  std::ranges::replace(text, '\\', '/');
  for (const char* const mark : {"*/", "/*"}) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;)
      text.insert(at + 1, " ");
  }
  return text;
}

}  // namespace autokernel::bridge
