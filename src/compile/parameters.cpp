// Whether the kernels take what they will be handed.
#include <fmt/format.h>

#include <algorithm>

#include "autokernel/base/defences.h"
#include "autokernel/compile/compiler.h"
#include "compile/kernel_names.h"
#include "compile/source_text.h"

namespace autokernel::compile {
namespace {

// Of CUtensorMap (cuda.h). It is aligned to 64 bytes or more in the constant bank, where parameters
// do not begin at a multiple of that: the offset says nothing.
constexpr std::size_t kMapBytes = 128;

std::string kind_of(const ExpectedParameter& parameter) {
  if (parameter.bytes == kMapBytes) return "CUtensorMap";
  return parameter.bytes == kPointerBytes ? "pointer" : "\"" + parameter.text + "\"";
}

// What is wrong with the parameters; none where they fit.
std::optional<std::string> finding(const std::vector<Parameter>& parameters,
                                   const std::vector<ExpectedParameter>& expected,
                                   const std::vector<std::string>& written) {
  if (parameters.size() != expected.size()) {
    return fmt::format("has {} parameter{} and is given {}", parameters.size(),
                       parameters.size() == 1 ? "" : "s", expected.size());
  }
  std::size_t end = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::size_t bytes = expected[i].bytes;
    end = (end + bytes - 1) / bytes * bytes;
    const bool is_placed = bytes == kMapBytes || parameters[i].offset == end;
    end += bytes;
    if (is_placed && parameters[i].bytes == bytes) continue;
    const std::string as_written =
        written.size() == parameters.size() ? fmt::format(" (\"{}\")", written[i]) : "";
    return fmt::format("has a parameter {}{} of {} bytes that is no {}", i + 1, as_written,
                       parameters[i].bytes, kind_of(expected[i]));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> wrong_parameters(const Program& program,
                                            const std::vector<ExpectedParameter>& of_case,
                                            const SourceFile& file) {
  if (!stands(Defence::parameter_layout)) return std::nullopt;
  std::vector<ExpectedParameter> expected = of_case;
  const bool has_scalars = std::ranges::any_of(
      of_case, [](const ExpectedParameter& each) { return each.bytes != kPointerBytes; });
  const bool workspace = program.declaration.workspace_bytes > 0;
  if (workspace) expected.push_back({"void* workspace"});
  const std::vector<TensorMap>& maps = program.declaration.tensor_maps;
  for (const TensorMap& map : maps)
    expected.push_back({"const __grid_constant__ CUtensorMap " + map.name, kMapBytes});
  std::vector<std::string> texts;
  for (const ExpectedParameter& each : expected) texts.push_back(each.text);
  for (const Launch& launch : program.declaration.launches) {
    const std::string name = readable_name(launch.kernel);
    const auto text = find_kernel(file.text, name);
    const auto wrong = finding(program.parameters.at(launch.kernel), expected,
                               text ? text->parameters : std::vector<std::string>());
    if (!wrong) continue;
    return fmt::format(
        "{}the kernel {} {}; it takes a pointer for each tensor of case.toml, in that order{}{}{}: "
        "write {}({})",
        place(file.name, text ? text->line : 0), name, *wrong,
        has_scalars ? ", then each scalar by value" : "",
        workspace ? ", then one for the workspace" : "",
        maps.empty() ? "" : ", then each AUTOKERNEL_TENSOR_MAP", name, fmt::join(texts, ", "));
  }
  return std::nullopt;
}

}  // namespace autokernel::compile
