// Whether the kernels take what they will be handed.
#include <fmt/format.h>

#include <algorithm>

#include "autokernel/base/defences.h"
#include "autokernel/compile/compiler.h"
#include "compile/kernel_names.h"
#include "compile/source_text.h"

namespace autokernel::compile {
namespace {

// A launch hands over an address for each parameter, one behind the other.
constexpr std::uint32_t kPointerBytes = 8;

// What is wrong with the parameters; none where they fit.
std::optional<std::string> finding(const std::vector<Parameter>& parameters, std::size_t expected,
                                   const std::vector<std::string>& written) {
  if (parameters.size() != expected) {
    return fmt::format("has {} parameter{} and is given {}", parameters.size(),
                       parameters.size() == 1 ? "" : "s", expected);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i] == Parameter{static_cast<std::uint32_t>(i) * kPointerBytes, kPointerBytes})
      continue;
    const std::string as_written =
        written.size() == parameters.size() ? fmt::format(" (\"{}\")", written[i]) : "";
    return fmt::format("has a parameter {}{} of {} bytes that is no pointer", i + 1, as_written,
                       parameters[i].bytes);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> wrong_parameters(const Program& program,
                                            const std::vector<std::string>& tensors,
                                            const SourceFile& file) {
  if (!stands(Defence::parameter_layout)) return std::nullopt;
  std::vector<std::string> expected = tensors;
  const bool workspace = program.declaration.workspace_bytes > 0;
  if (workspace) expected.emplace_back("void* workspace");
  for (const Launch& launch : program.declaration.launches) {
    const std::string name = readable_name(launch.kernel);
    const auto text = find_kernel(file.text, name);
    const auto wrong = finding(program.parameters.at(launch.kernel), expected.size(),
                               text ? text->parameters : std::vector<std::string>());
    if (!wrong) continue;
    return fmt::format(
        "{}the kernel {} {}; it takes a pointer for each tensor of case.toml, in that order{}: "
        "write {}({})",
        place(file.name, text ? text->line : 0), name, *wrong,
        workspace ? ", then one for the workspace" : "", name, fmt::join(expected, ", "));
  }
  return std::nullopt;
}

}  // namespace autokernel::compile
