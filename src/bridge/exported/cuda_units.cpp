#include "bridge/exported/cuda_units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <regex>
#include <set>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/compile/inclusion.h"
#include "autokernel/compile/module_objects.h"
#include "bridge/exported/export_texts.h"
#include "bridge/exported/filled_text.h"
#include "bridge/exported/map_numbers.h"

namespace autokernel::bridge {
namespace {

// What the file calls a kernel of that name in the module: "_Z4rowsPf" is rows(float*). Empty for
// an instance of a template, and for one in a namespace: those are launched by their addresses.
[[nodiscard]] std::string plain_name(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  std::size_t at = 2;
  std::size_t length = 0;
  while (at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])) != 0)
    length = 10 * length + static_cast<std::size_t>(name[at++] - '0');
  const bool is_whole = length > 0 && at + length < name.size() && name[at + length] != 'I';
  return is_whole ? name.substr(at, length) : "";
}

// A builder has no folder of ours among those that it searches for "<autokernel.cuh>".
[[nodiscard]] std::string with_own_includes(std::string text) {
  for (const char* const name : {"autokernel.cuh", "autokernel_sizes.cuh"}) {
    const std::string include = fmt::format("<{}>", name);
    for (std::size_t at = 0; (at = text.find(include, at)) != std::string::npos;)
      text.replace(at, include.size(), fmt::format("\"{}\"", name));
  }
  return text;
}

// Of "#include <x>" of the kernel's files: they go in front of the unnamed namespace.
[[nodiscard]] std::string system_includes(const std::map<std::string, std::string>& files) {
  std::set<std::string> found;
  for (const auto& [path, text] : files) {
    for (const compile::Inclusion& inclusion : compile::inclusions(text)) {
      if (inclusion.header.front() != '<') continue;
      const std::string name = inclusion.header.substr(1, inclusion.header.size() - 2);
      if (!name.starts_with("autokernel") && !files.contains(name)) found.insert(name);
    }
  }
  std::string lines;
  // Some stand where they are not meant, as below "#if 0".
  for (const std::string& name : found)
    lines += fmt::format("#if __has_include(<{0}>)\n#include <{0}>\n#endif\n", name);
  return lines;
}

[[nodiscard]] std::string map_rows(const ExportedSize& size) {
  std::string rows;
  for (const ExportedMap& map : size.maps) {
    rows += fmt::format("    {{\"{}\", \"{}\", {}u, {}}},\n", map.name, map.buffer, map.offset,
                        map_numbers(map.layout));
  }
  return rows;
}

// Encodes the maps, and adds them to the operands.
[[nodiscard]] std::string map_text(const ExportedSize& size) {
  if (size.maps.empty()) return "";
  return fmt::format(
      "  static const autokernel::MapPlan plans[] = {{\n{}  }};\n"
      "  CUtensorMap maps[{}];\n"
      "  for (int i = 0; i < {}; ++i) {{\n"
      "    const cudaError_t failed = autokernel::encode(plans[i], operands, &maps[i]);\n"
      "    if (failed != cudaSuccess) return failed;\n"
      "    operands.push_back({{plans[i].name, &maps[i]}});\n  }}\n",
      map_rows(size), size.maps.size(), size.maps.size());
}

// Names of C's would be of all units together: without them the functions are of their unnamed
// namespace alone.
[[nodiscard]] std::string without_names_of_c(const std::string& text) {
  static const std::regex kBlock(R"re(extern\s+"C"\s*\{)re");
  static const std::regex kOne(R"re(extern\s+"C"\s+)re");
  return std::regex_replace(std::regex_replace(text, kBlock, "inline namespace of_c {"), kOne, "");
}

[[nodiscard]] std::string unit_text(const CudaSource& source, const ExportedSize& size, int number,
                                    const std::string& header, const std::string& declaration) {
  std::string lookups;
  for (const std::string& kernel : size.kernels) {
    lookups += fmt::format(
        "  if (std::strcmp(name, \"{0}\") == 0) return reinterpret_cast<const void*>({0});\n",
        kernel);
  }
  std::vector<std::string> usual = source.operands;
  if (size.workspace_bytes > 0) usual.emplace_back("workspace");
  for (const ExportedMap& map : size.maps) usual.push_back(map.name);
  return fmt::format(
      "// {0} at one size of its case (autokernel.cuh).\n"
      "#define AUTOKERNEL_SIZE {1}\n#include \"autokernel.cuh\"\n{2}\n"
      "namespace {{\n#include \"{0}\"\n\n"
      "const void* kernel_called(const char* name) {{\n{3}  return nullptr;\n}}\n}}  // "
      "namespace\n\n"
      "{4} {{\n"
      "  operands.push_back({{\"workspace\", &workspace}});\n{5}"
      "  for (const autokernel::Launch& launch : autokernel_launches) {{\n"
      "    const autokernel::KernelName& kernel = launch.kernel;\n"
      "    if (kernel.text == nullptr && kernel.address == nullptr) break;\n"
      "    const cudaError_t failed = autokernel::carry_out(\n"
      "        launch, kernel.address ? kernel.address : kernel_called(kernel.text), operands,\n"
      "        \"{6}\", stream);\n"
      "    if (failed != cudaSuccess) return failed;\n  }}\n  return cudaSuccess;\n}}\n",
      header, number, system_includes(source.files), lookups, declaration, map_text(size),
      fmt::join(usual, ", "));
}

}  // namespace

ExportedSize exported_size(const trial::ReadyKernel& kernel,
                           const std::map<std::string, std::int64_t>& symbols) {
  const compile::Declaration& declaration = kernel.program.declaration;
  ExportedSize size{.symbols = symbols,
                    .kernels = {},
                    .workspace_bytes = declaration.workspace_bytes,
                    .workspace_zeroed = declaration.workspace_zeroed,
                    .maps = {},
                    .variables = {}};
  for (const trial::ReadyLaunch& each : kernel.launches) {
    const std::string name = plain_name(each.launch.kernel);
    const bool is_new = std::ranges::find(size.kernels, name) == size.kernels.end();
    if (!name.empty() && is_new) size.kernels.push_back(name);
  }
  for (std::size_t i = 0; i < kernel.maps.size(); ++i) {
    const trial::ReadyMap& map = kernel.maps[i];
    size.maps.push_back({.name = declaration.tensor_maps.at(i).name,
                         .buffer = map.buffer < kernel.tensors.size()
                                       ? kernel.tensors[map.buffer].name
                                       : "workspace",
                         .offset = map.offset,
                         .layout = map.layout});
  }
  for (const compile::ModuleObject& object : compile::changeable_objects(kernel.program))
    size.variables.push_back(compile::source_name(object.name));
  return size;
}

namespace {

[[noreturn]] void refuse_file(const std::string& path) {
  throw Error(Stop::usage,
              fmt::format("cannot export the kernel as source: a file of its is called "
                          "{}, as one of the export's is; rename it",
                          visible_line(path)));
}

}  // namespace

CudaUnits cuda_units(CudaSource source, const std::vector<ExportedSize>& sizes) {
  CudaUnits made;
  // Builders compile every file that ends with .cu by itself.
  std::string header = source.main + "h";
  while (source.files.contains(header)) header.insert(0, "main_");
  made.header = header;
  std::string constants = "#pragma once\n#include \"autokernel_host.h\"\n";
  if (!sizes.front().types.empty())
    constants += "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_fp8.h>\n";
  std::set<std::map<std::string, std::int64_t>> known;
  for (const ExportedSize& size : sizes) {
    if (!known.insert(size.symbols).second) continue;
    const int number = static_cast<int>(made.units.size());
    constants += fmt::format("{} AUTOKERNEL_SIZE == {}\n", number == 0 ? "#if" : "#elif", number);
    CudaUnit unit{.size = &size,
                  .file = fmt::format("size_{}.cu", number),
                  .function = fmt::format("{}_run_{}", source.prefix, number),
                  .declaration = {},
                  .condition = {}};
    for (const auto& [symbol, type] : size.types)
      constants += fmt::format("using {} = {};\n", symbol, type);
    for (const auto& [symbol, value] : size.symbols) {
      constants +=
          fmt::format("constexpr {} {} = {};\n",
                      value > std::numeric_limits<int>::max() ? "long long" : "int", symbol, value);
      unit.condition +=
          fmt::format("{}{} == {}", unit.condition.empty() ? "" : " && ", symbol, value);
    }
    unit.declaration = fmt::format(
        "cudaError_t {}(std::vector<autokernel::Operand> operands, void* workspace, "
        "cudaStream_t stream)",
        unit.function);
    made.files[unit.file] = unit_text(source, size, number, header, unit.declaration);
    made.units.push_back(std::move(unit));
  }
  for (const auto& [path, text] : source.files) {
    if (path == source.main) continue;
    const bool is_taken = made.files.contains(path) || path == "autokernel_host.h" ||
                          path == "autokernel.cuh" || path == "autokernel_sizes.cuh";
    if (is_taken) refuse_file(path);
  }
  for (auto& [path, text] : source.files)
    made.files[path == source.main ? header : path] = with_own_includes(without_names_of_c(text));
  made.files["autokernel_host.h"] = export_texts::autokernel_host_h();
  made.files["autokernel.cuh"] = constants + "#endif\n";
  made.files["autokernel_sizes.cuh"] = "#pragma once\n#include \"autokernel.cuh\"\n";
  return made;
}

}  // namespace autokernel::bridge
