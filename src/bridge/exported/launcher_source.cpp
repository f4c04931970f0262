#include "bridge/exported/launcher_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <span>

#include "autokernel/compile/module_objects.h"
#include "bridge/exported/export_texts.h"
#include "bridge/exported/filled_text.h"
#include "bridge/exported/map_numbers.h"
#include "bridge/exported/shared_files.h"

namespace autokernel::bridge {
namespace {

using Kind = trial::ReadyParameter::Kind;

// A string of C. Names come from case.toml and from compilers.
[[nodiscard]] std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      made += fmt::format("\\{}", letter);
    } else if (code < ' ' || code > '~') {
      made += fmt::format("\\{:03o}", code);
    } else {
      made += letter;
    }
  }
  return made + '"';
}

[[nodiscard]] std::string bytes_text(std::span<const std::byte> bytes) {
  constexpr std::size_t kInLine = 40;
  std::string text;
  text.reserve(4 * bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) text += i % kInLine == 0 ? ",\n" : ",";
    text += std::to_string(std::to_integer<int>(bytes[i]));
  }
  return text;
}

// Whether it is one that no other device runs: "sm_90a".
[[nodiscard]] bool is_variant(const std::string& architecture) {
  return std::isalpha(static_cast<unsigned char>(architecture.back())) != 0;
}

// "sm_90a" -> {9, 0, 'a', "9.0a"}.
[[nodiscard]] std::string capability_row(const std::string& architecture, bool is_ptx) {
  const std::string text = capability_number(architecture);
  const std::size_t point = text.find('.');
  const std::string reach = is_ptx                     ? "'p'"
                            : is_variant(architecture) ? fmt::format("'{}'", text.back())
                                                       : "0";
  return fmt::format("    {{{}, {}, {}, \"{}{}\"}},\n", text.substr(0, point), text[point + 1],
                     reach, text, is_ptx ? " and later" : "");
}

// The tables of one export.
class Tables {
 public:
  Tables(const KernelToShip& kernel, const Signature& signature)
      : kernel_(kernel), signature_(signature) {
    for (std::size_t i = 0; i < kernel.codes.size(); ++i) add_size(i);
  }

  [[nodiscard]] std::string made() const {
    std::string capabilities;
    std::size_t count = kernel_.architectures.size();
    for (const std::string& architecture : kernel_.architectures)
      capabilities += capability_row(architecture, false);
    // Its PTX is in the image, too, and runs on what comes later unless it is of a variant.
    const std::string& last = kernel_.architectures.back();
    if (!is_variant(last)) {
      capabilities += capability_row(last, true);
      ++count;
    }
    return fmt::format(
        "enum {{\n  TENSORS = {},\n  SIZES = {},\n  CAPABILITIES = {},\n  ALIGNMENT = {},\n"
        "  MOST_LAUNCHES = {},\n  MOST_PARAMETERS = {},\n  MOST_MAPS = {},\n  MOST_BLOCKS = {},\n"
        "  MOST_BLOCK_BYTES = {}\n}};\n\n"
        "static const struct capability capabilities[CAPABILITIES] = {{\n{}}};\n\n{}"
        "static const struct size sizes[SIZES] = {{\n{}}};\n",
        signature_.tensors.size(), kernel_.codes.size(), count, trial::judged_alignment(),
        most_launches_, most_parameters_, most_maps_, most_blocks_, most_block_bytes_, capabilities,
        tables_, sizes_);
  }

 private:
  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    tables_ += fmt::format(format, std::forward<Arguments>(arguments)...);
  }

  // The name of a table, or NULL where it would have no rows.
  [[nodiscard]] static std::string named(const char* table, std::size_t at, std::size_t rows) {
    return rows == 0 ? "NULL" : fmt::format("{}_{}", table, at);
  }

  void add_size(std::size_t at) {
    const ExportedCode& code = kernel_.codes[at];
    const trial::ReadyKernel& ready = code.kernel;
    add_tensors(at, ready);
    blocks_ = 0;
    block_rows_.clear();
    std::string launches;
    for (std::size_t i = 0; i < ready.launches.size(); ++i) launches += launch_row(at, i, ready);
    add("static const struct launch launches_{}[] = {{\n{}}};\n\n", at, launches);
    if (!ready.maps.empty()) add_maps(at, ready);
    const std::vector<compile::ModuleObject> variables = compile::changeable_objects(ready.program);
    add_variables(at, variables);
    if (blocks_ > 0) add("static const struct block blocks_{}[] = {{\n{}}};\n\n", at, block_rows_);
    const compile::Declaration& declaration = ready.program.declaration;
    sizes_ += fmt::format(
        "    {{{}, image_{}, tensors_{}, {}, {}, {}, launches_{}, {}, {}, {}, {}u, {}}},\n",
        quoted(size_text(code.symbols)), image_of(at), at, ready.launches.size(), ready.maps.size(),
        variables.size(), at, named("maps", at, ready.maps.size()),
        named("variables", at, variables.size()), named("blocks", at, blocks_),
        declaration.workspace_bytes, declaration.workspace_zeroed ? 1 : 0);
    most_launches_ = std::max(most_launches_, ready.launches.size());
    most_maps_ = std::max(most_maps_, ready.maps.size());
    most_blocks_ = std::max(most_blocks_, blocks_);
  }

  // Sizes whose code is the same share it.
  [[nodiscard]] std::size_t image_of(std::size_t at) const {
    for (std::size_t i = 0; i < at; ++i)
      if (kernel_.codes[i].image == kernel_.codes[at].image) return i;
    return at;
  }

  void add_tensors(std::size_t at, const trial::ReadyKernel& ready) {
    std::string rows;
    for (const trial::ReadyTensor& tensor : ready.tensors) {
      const ElementType type = element_type(tensor.dtype);
      rows += fmt::format("    {{{}, {}, {}, '{}', {}, {{{}}}, {{{}}}, {}u}},\n",
                          quoted(tensor.name), type.code, type.bits, role_letter(tensor.role),
                          tensor.extents.size(), fmt::join(tensor.extents, ", "),
                          fmt::join(strides_of(tensor), ", "), tensor.bytes);
    }
    add("static const struct tensor tensors_{}[TENSORS] = {{\n{}}};\n\n", at, rows);
  }

  [[nodiscard]] std::string launch_row(std::size_t at, std::size_t number,
                                       const trial::ReadyKernel& ready) {
    const trial::ReadyLaunch& each = ready.launches[number];
    std::string rows;
    for (const trial::ReadyParameter& parameter : each.parameters)
      rows += parameter_row(at, parameter, ready);
    most_parameters_ = std::max(most_parameters_, each.parameters.size());
    std::string table = "NULL";
    if (!rows.empty()) {
      table = fmt::format("parameters_{}_{}", at, number);
      add("static const struct parameter {}[] = {{\n{}}};\n", table, rows);
    }
    const compile::Launch& launch = each.launch;
    return fmt::format("    {{{}, {{{}}}, {{{}}}, {{{}}}, {}, {}, {}, {}, {}}},\n",
                       quoted(launch.kernel), fmt::join(launch.grid, ", "),
                       fmt::join(launch.block, ", "), fmt::join(launch.cluster, ", "),
                       launch.shared_bytes, launch.cooperative ? 1 : 0, launch.programmatic ? 1 : 0,
                       each.parameters.size(), table);
  }

  [[nodiscard]] std::string parameter_row(std::size_t at, const trial::ReadyParameter& parameter,
                                          const trial::ReadyKernel& ready) {
    switch (parameter.kind) {
      case Kind::tensor:
        return fmt::format("    {{'t', {}, {}}},\n", parameter.index, parameter.number);
      case Kind::workspace:
        return fmt::format("    {{'w', 0, {}}},\n", parameter.number);
      case Kind::map:
        return fmt::format("    {{'m', {}, 0}},\n", parameter.index);
      case Kind::size:
        return fmt::format("    {{'c', 0, {}}},\n", parameter.number);
      case Kind::value:
        break;
    }
    const int scalar = signature_.scalar_of_value.at(parameter.index);
    if (scalar >= 0) return fmt::format("    {{'s', {}, 0}},\n", scalar);
    add_block(at, ready.values.at(parameter.index), ready);
    return fmt::format("    {{'b', {}, 0}},\n", blocks_++);
  }

  void add_block(std::size_t at, const trial::ReadyValue& value, const trial::ReadyKernel& ready) {
    add("static const unsigned char block_{}_{}[] = {{{}}};\n", at, blocks_,
        bytes_text(value.bytes));
    std::string patches;
    for (const cases::ByValue::Pointer& pointer : value.pointers) {
      const auto tensor =
          std::ranges::find(ready.tensors, pointer.tensor, &trial::ReadyTensor::name);
      patches += fmt::format("    {{{}, {}, {}u}},\n", pointer.at, tensor - ready.tensors.begin(),
                             pointer.offset);
    }
    std::string table = "NULL";
    if (!patches.empty()) {
      table = fmt::format("patches_{}_{}", at, blocks_);
      add("static const struct patch {}[] = {{\n{}}};\n", table, patches);
    }
    block_rows_ += fmt::format("    {{{}, {}, block_{}_{}, {}}},\n", value.bytes.size(),
                               value.pointers.size(), at, blocks_, table);
    most_block_bytes_ = std::max(most_block_bytes_, value.bytes.size());
  }

  void add_maps(std::size_t at, const trial::ReadyKernel& ready) {
    std::string rows;
    for (const trial::ReadyMap& map : ready.maps) {
      rows +=
          fmt::format("    {{{}, {}u, {}}},\n", map.buffer, map.offset, map_numbers(map.layout));
    }
    add("static const struct map maps_{}[] = {{\n{}}};\n\n", at, rows);
  }

  void add_variables(std::size_t at, const std::vector<compile::ModuleObject>& variables) {
    std::string rows;
    for (const compile::ModuleObject& variable : variables) {
      rows += fmt::format("    {{{}, {}u, {}}},\n", quoted(variable.name), variable.bytes,
                          variable.initial.empty() ? 1 : 0);
    }
    if (!rows.empty()) add("static const struct variable variables_{}[] = {{\n{}}};\n\n", at, rows);
  }

  const KernelToShip& kernel_;
  const Signature& signature_;
  std::string tables_;
  std::string sizes_;
  std::string block_rows_;  // of the size that is being added
  std::size_t blocks_ = 0;
  std::size_t most_launches_ = 1;
  std::size_t most_parameters_ = 1;
  std::size_t most_maps_ = 0;
  std::size_t most_blocks_ = 1;
  std::size_t most_block_bytes_ = 16;
};

[[nodiscard]] std::string images_text(const KernelToShip& kernel) {
  std::string text =
      fmt::format("/* Fat binaries of {}, for {}: one for each size. */\n#pragma once\n",
                  kernel.name, fmt::join(kernel.architectures, ", "));
  std::set<std::vector<std::byte>> known;
  for (std::size_t i = 0; i < kernel.codes.size(); ++i) {
    if (!known.insert(kernel.codes[i].image).second) continue;
    text += fmt::format("\n_Alignas(8) static const unsigned char image_{}[] = {{\n{}}};\n", i,
                        bytes_text(kernel.codes[i].image));
  }
  return text;
}

[[nodiscard]] std::string tensors_text(const KernelToShip& kernel, const Signature& signature) {
  std::string text;
  for (std::size_t i = 0; i < kernel.codes.size(); ++i) {
    const ExportedCode& code = kernel.codes[i];
    text += fmt::format(" * Size {}: {}\n", i, size_text(code.symbols));
    for (std::size_t t = 0; t < signature.tensors.size(); ++t) {
      const trial::ReadyTensor& tensor = code.kernel.tensors[t];
      const char* const use = tensor.role == cases::Role::in    ? "input"
                              : tensor.role == cases::Role::out ? "output"
                                                                : "input and output";
      const bool is_padded = tensor.pitch != tensor.extents.back();
      text += fmt::format(" *   {}: {} of {}, {}{}\n", signature.tensors[t].name,
                          element_type(tensor.dtype).name, shape_text(tensor.extents), use,
                          is_padded ? fmt::format(", rows {} elements apart", tensor.pitch) : "");
    }
  }
  return text;
}

// A scalar of 16 bits is handed over as a float.
[[nodiscard]] std::string conversions_text(const std::set<cases::DType>& dtypes) {
  std::string text;
  if (dtypes.contains(cases::DType::bf16)) text += export_texts::bfloat16_bits_c();
  if (dtypes.contains(cases::DType::f16)) text += export_texts::float16_bits_c();
  return text;
}

}  // namespace

ShippedFiles launcher_source(const KernelToShip& kernel, const Signature& signature) {
  const std::string& name = kernel.name;
  std::string guard;
  for (const char letter : name)
    guard += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  std::set<std::string> types;
  for (const ExportedCode& code : kernel.codes) {
    for (const trial::ReadyTensor& tensor : code.kernel.tensors) {
      const ElementType type = element_type(tensor.dtype);
      types.insert(fmt::format("  {}_{} = {} * 256 + {},", name, type.name, type.code, type.bits));
    }
  }
  std::vector<std::string> parameters;
  std::vector<std::string> tensors;
  for (const ShippedOperand& tensor : signature.tensors) {
    parameters.push_back(fmt::format("const {}_tensor *{}", name, tensor.name));
    tensors.push_back(tensor.name);
  }
  std::string scalar_parameters;
  std::vector<std::string> addresses;
  std::string rounded;
  std::set<cases::DType> conversions;
  for (const ShippedOperand& scalar : signature.scalars) {
    parameters.push_back(fmt::format("{} {}", element_type(scalar.dtype).in_c, scalar.name));
    scalar_parameters += ", " + parameters.back();
    const bool is_half = scalar.dtype == cases::DType::f16 || scalar.dtype == cases::DType::bf16;
    addresses.push_back("&" + scalar.name + (is_half ? "_bits" : ""));
    if (!is_half) continue;
    rounded += fmt::format("  const uint16_t {0}_bits = {1}_bits({0});\n", scalar.name,
                           element_type(scalar.dtype).name);
    conversions.insert(scalar.dtype);
  }
  if (addresses.empty()) addresses.emplace_back("NULL");
  const std::string of_host = fmt::format("{}", fmt::join(parameters, ", "));
  const bool has_workspace = signature.has_workspace();
  const std::string workspace_parameter = has_workspace ? ", void *workspace" : "";
  const std::vector<std::pair<std::string, std::string>> places = {
      {"NAME", name},
      {"GUARD", guard + "_H"},
      {"SUMMARY", summary_of(kernel)},
      {"REENTRANCY", signature.has_variables ? "\n * Calls on several streams of one device must "
                                               "not overlap: the kernel has variables "
                                               "of its own there."
                                             : ""},
      {"FIXED", fixed_text(kernel, "\n * ")},
      {"TYPES", fmt::format("{}", fmt::join(types, "\n"))},
      {"TENSORS", tensors_text(kernel, signature)},
      {"ALIGNMENT", std::to_string(trial::judged_alignment())},
      {"PARAMETERS", of_host + workspace_parameter + ", void *stream"},
      {"HOST_PARAMETERS", of_host},
      {"SCALAR_PARAMETERS", scalar_parameters},
      {"WORKSPACE_PARAMETER", workspace_parameter},
      {"WORKSPACE", has_workspace ? "workspace" : "NULL"},
      {"TENSOR_NAMES", fmt::format("{}", fmt::join(tensors, ", "))},
      {"ROUNDED", rounded},
      {"CONVERSIONS", conversions_text(conversions)},
      {"SCALAR_ADDRESSES", fmt::format("{}", fmt::join(addresses, ", "))},
      {"WORKSPACE_FUNCTION",
       has_workspace
           ? fmt::format("\n/* Bytes that the workspace of any size needs at most: memory of the "
                         "device whose contents do not matter. */\nsize_t "
                         "{}_workspace_bytes(void);\n",
                         name)
           : ""},
      {"WORKSPACE_BODY",
       has_workspace ? fmt::format("PUBLIC size_t {}_workspace_bytes(void) {{ return {}u; }}\n\n",
                                   name, signature.workspace_bytes)
                     : ""},
      {"TABLES", Tables(kernel, signature).made()}};
  return {{name + ".h", filled(export_texts::launcher_h(), places)},
          {name + ".c", filled(export_texts::launcher_c(), places)},
          {name + "_images.h", images_text(kernel)}};
}

}  // namespace autokernel::bridge
