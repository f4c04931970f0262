#include "bridge/exported/source_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "bridge/exported/cuda_units.h"
#include "bridge/exported/export_texts.h"
#include "bridge/exported/filled_text.h"

namespace autokernel::bridge {
namespace {

[[noreturn]] void refuse_source(const std::string& why) {
  throw Error(Stop::usage,
              fmt::format("cannot export the kernel as source: {}; the forms c, torch and tvm-ffi "
                          "take it",
                          why));
}

// What source cannot do for a kernel, and machine code with a launcher of ours can.
void require_source(const KernelToShip& kernel, const std::vector<ExportedSize>& sizes) {
  if (!kernel.main.ends_with(".cu"))
    refuse_source(fmt::format("{} is not CUDA C++", visible_line(kernel.main)));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (sizes[i].symbols != sizes[j].symbols) continue;
      refuse_source(
          fmt::format("sizes {} and {} differ in types alone, and its function takes "
                      "numbers; export one of them (--size)",
                      kernel.codes[j].size, kernel.codes[i].size));
    }
  }
  std::set<std::string> variables;
  for (const ExportedSize& size : sizes)
    variables.insert(size.variables.begin(), size.variables.end());
  if (!variables.empty()) {
    refuse_source(
        fmt::format("before each launch its variables {} have to be set back, as the harness "
                    "does (a zeroed workspace needs no such thing)",
                    visible_line(fmt::format("{}", fmt::join(variables, ", ")))));
  }
  if (!kernel.library_headers.empty()) {
    refuse_source(
        fmt::format("it includes {} of [compile] include, and the library would have to go "
                    "with it",
                    visible_line(kernel.library_headers.front())));
  }
  for (const cases::Tensor& tensor : kernel.problem->tensors) {
    if (tensor.by_value && !tensor.by_value->pointers.empty())
      refuse_source(fmt::format("its parameter {} is a struct with addresses in it", tensor.name));
  }
}

// A scalar as the kernel takes it.
[[nodiscard]] std::string value_line(const ShippedOperand& scalar) {
  switch (scalar.dtype) {
    case cases::DType::f16:
      return fmt::format("  const __half {0}_value = __float2half({0});\n", scalar.name);
    case cases::DType::bf16:
      return fmt::format("  const __nv_bfloat16 {0}_value = __float2bfloat16({0});\n", scalar.name);
    default:
      return fmt::format("  const {} {}_value = {};\n", element_type(scalar.dtype).in_c,
                         scalar.name, scalar.name);
  }
}

// Those that have a value of their own at that size.
[[nodiscard]] std::string fixed_lines(const KernelToShip& kernel, const Signature& signature,
                                      const ExportedSize& size) {
  const auto code = std::ranges::find(kernel.codes, size.symbols, &ExportedCode::symbols);
  std::string lines;
  for (std::size_t i = 0; i < signature.scalar_of_value.size(); ++i) {
    if (signature.scalar_of_value[i] >= 0) continue;
    const trial::ReadyValue& value = code->kernel.values.at(i);
    std::vector<int> numbers;
    numbers.reserve(value.bytes.size());
    for (const std::byte byte : value.bytes) numbers.push_back(std::to_integer<int>(byte));
    lines += fmt::format(
        "    alignas(8) static const unsigned char {0}_bytes[] = {{{1}}};\n"
        "    operands.push_back({{\"{0}\", at({0}_bytes)}});\n",
        value.name, fmt::join(numbers, ", "));
  }
  return lines;
}

[[nodiscard]] std::string tensor_lines(const KernelToShip& kernel, const Signature& signature) {
  std::string lines;
  for (std::size_t i = 0; i < signature.tensors.size(); ++i) {
    std::vector<std::string> shapes;
    shapes.reserve(kernel.codes.size());
    std::vector<std::int64_t> pitches;
    pitches.reserve(kernel.codes.size());
    for (const ExportedCode& code : kernel.codes) {
      shapes.push_back(shape_text(code.kernel.tensors[i].extents));
      pitches.push_back(code.kernel.tensors[i].pitch);
    }
    const cases::Role role = signature.tensors[i].role;
    const trial::ReadyTensor& first = kernel.codes.front().kernel.tensors[i];
    const bool is_padded = first.pitch != first.extents.back();
    lines += fmt::format("//   {}: {}, {}, {}{}\n", signature.tensors[i].name,
                         element_type(signature.tensors[i].dtype).name,
                         role == cases::Role::in    ? "read"
                         : role == cases::Role::out ? "written"
                                                    : "read and written",
                         fmt::join(shapes, " or "),
                         is_padded ? fmt::format("; rows {} elements apart, the last one's padding "
                                                 "included",
                                                 fmt::join(pitches, " or "))
                                   : "");
  }
  return lines.substr(0, lines.size() - 1);
}

}  // namespace

std::string symbols_text(const ExportedCode& code) {
  std::vector<std::int64_t> values;
  values.reserve(code.symbols.size());
  for (const auto& [symbol, value] : code.symbols) values.push_back(value);
  return fmt::format("{{{}}}", fmt::join(values, ", "));
}

std::vector<std::string> nvcc_flags(const KernelToShip& kernel) {
  std::vector<std::string> flags = {"-std=c++20"};
  for (const std::string& flag : kernel.problem->compile.flags) {
    // NVRTC's alone: nvcc compiles host code as well.
    if (flag.find("default-device") != std::string::npos)
      refuse_source("it is compiled with default-device, which nvcc does not have");
    flags.push_back(flag.starts_with("--") ? flag : "-" + flag);
  }
  return flags;
}

std::string gencode(const KernelToShip& kernel) {
  std::string text;
  for (const std::string& architecture : kernel.architectures) {
    const std::string number = architecture.substr(std::strlen("sm_"));
    const bool is_last = architecture == kernel.architectures.back();
    text += fmt::format("{0}-gencode arch=compute_{1},code={2}sm_{1}{3}", text.empty() ? "" : " ",
                        number, is_last ? "[" : "",
                        is_last ? ",compute_" + number + "]" : std::string());
  }
  return text;
}

SourceLibrary source_library(const KernelToShip& kernel, const Signature& signature) {
  const std::string& name = kernel.name;
  std::vector<ExportedSize> sizes;
  sizes.reserve(kernel.codes.size());
  for (const ExportedCode& code : kernel.codes)
    sizes.push_back(exported_size(code.kernel, code.symbols));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto types = kernel.problem->types.find(kernel.codes[i].case_size);
    if (types == kernel.problem->types.end()) continue;
    for (const auto& [symbol, dtype] : types->second)
      sizes[i].types[symbol] = cases::cpp_name(dtype);
  }
  require_source(kernel, sizes);
  std::vector<std::string> operands(kernel.problem->tensors.size());
  std::ranges::transform(kernel.problem->tensors, operands.begin(), &cases::Tensor::name);
  CudaUnits units = cuda_units(
      {.prefix = name, .main = kernel.main, .files = kernel.files, .operands = operands}, sizes);

  std::vector<std::string> parameters;
  std::vector<std::string> addresses;
  std::vector<std::string> passed;
  std::string values;
  for (const ShippedOperand& tensor : signature.tensors) {
    const bool is_read_only = tensor.role == cases::Role::in;
    parameters.push_back(fmt::format("{}void* {}", is_read_only ? "const " : "", tensor.name));
    addresses.push_back(fmt::format("static_cast<const void*>({})", tensor.name));
    passed.push_back(fmt::format("{{\"{}\", at({})}}", tensor.label, tensor.name));
  }
  for (const ShippedOperand& scalar : signature.scalars) {
    parameters.push_back(fmt::format("{} {}", element_type(scalar.dtype).in_c, scalar.name));
    values += value_line(scalar);
    passed.push_back(fmt::format("{{\"{}\", at({}_value)}}", scalar.label, scalar.name));
  }
  SourceLibrary library{.files = std::move(units.files), .symbols = {}};
  std::string fields;
  std::string symbols;
  for (const auto& [symbol, value] : kernel.codes.front().symbols) {
    library.symbols.push_back(symbol);
    fields += fmt::format("  long long {};\n", symbol);
    symbols += fmt::format("  [[maybe_unused]] const long long {0} = sizes.{0};\n", symbol);
    // A launch that asks for a size takes an int or a long long: the first bytes are the same.
    passed.push_back(fmt::format("{{\"{0}\", at({0})}}", symbol));
  }
  parameters.insert(
      parameters.end(),
      {"void* workspace", fmt::format("const {}_sizes& sizes", name), "cudaStream_t stream"});
  std::string declared;
  std::string choice;
  std::string workspaces;
  for (const CudaUnit& unit : units.units) {
    declared += unit.declaration + ";\n";
    const std::string clear =
        unit.size->workspace_zeroed
            ? "    const cudaError_t failed = cudaMemsetAsync(workspace, 0, bytes, stream);\n"
              "    if (failed != cudaSuccess) return failed;\n"
            : "";
    choice += fmt::format("  if ({}) {{\n{}{}    return {}(operands, workspace, stream);\n  }}\n",
                          unit.condition, clear, fixed_lines(kernel, signature, *unit.size),
                          unit.function);
    if (unit.size->workspace_bytes > 0)
      workspaces +=
          fmt::format("  if ({}) return {}u;\n", unit.condition, unit.size->workspace_bytes);
  }
  std::string known;
  for (const ExportedCode& code : kernel.codes)
    known += fmt::format("//   {}\n", size_text(code.symbols));
  const std::vector<std::pair<std::string, std::string>> places = {
      {"NAME", name},
      {"SUMMARY", summary_of(kernel)},
      {"FIXED", fixed_text(kernel, "\n// ")},
      {"KNOWN", known.substr(0, known.size() - 1)},
      {"FIELDS", fields},
      {"ALIGNMENT", std::to_string(trial::judged_alignment())},
      {"TENSORS", tensor_lines(kernel, signature)},
      {"PARAMETERS", fmt::format("{}", fmt::join(parameters, ", "))},
      {"DECLARED", declared},
      {"SYMBOLS", symbols},
      {"WORKSPACES", workspaces},
      {"ADDRESSES", fmt::format("{}", fmt::join(addresses, ", "))},
      {"VALUES", values},
      {"OPERANDS", fmt::format("{}", fmt::join(passed, ", "))},
      {"CHOICE", choice}};
  for (const std::string& file : {name + ".h", name + ".cu"}) {
    if (library.files.contains(file))
      refuse_source(fmt::format("one of its files is called {}", visible_line(file)));
  }
  library.files[name + ".h"] = filled(export_texts::source_header_h(), places);
  library.files[name + ".cu"] = filled(export_texts::source_host_cu(), places);
  return library;
}

}  // namespace autokernel::bridge
