#include "trial/runner/runtime_sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace autokernel::trial {
namespace {

// Sizes that are constants of the kernel.
[[nodiscard]] cases::Sizes constants(const cases::Case& problem, cases::Sizes sizes) {
  for (const std::string& symbol : problem.runtime_sizes) sizes.erase(symbol);
  return sizes;
}

// What functions may read beside their parameters; sizes themselves and declarations left out.
[[nodiscard]] std::vector<compile::ModuleObject> data_of(const cases::Case& problem,
                                                         const compile::Program& program) {
  std::vector<compile::ModuleObject> data = program.objects;
  std::erase_if(data, [&](const compile::ModuleObject& object) {
    return object.name.starts_with("autokernel_") ||
           std::ranges::find(problem.runtime_sizes, object.name) != problem.runtime_sizes.end();
  });
  return data;
}

}  // namespace

std::string functions_of(const std::string& ptx) {
  std::string functions;
  bool inside = false;
  std::string_view rest = ptx;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end);
    // A declaration without a body ends in ';' before any brace, and is kept as well.
    inside = inside || line.find(".entry ") != line.npos || line.find(".func ") != line.npos;
    if (inside) functions += line;
    if (line.starts_with('}') || line.starts_with(';')) inside = false;
  }
  return functions;
}

std::optional<std::string> differing_code(const cases::Case& problem,
                                          std::span<const SizedCase* const> sizes,
                                          const std::map<std::string, compile::Program>& programs) {
  if (problem.runtime_sizes.empty()) return std::nullopt;
  struct First {
    std::string size;
    std::string functions;
    const compile::Program* program = nullptr;
  };
  std::map<cases::Sizes, First> firsts;
  for (const SizedCase* size : sizes) {
    const compile::Program& program = programs.at(size->size_name);
    First& first = firsts[constants(problem, size->sizes)];
    std::string functions = functions_of(program.ptx);
    if (first.program == nullptr) {
      first = {size->size_name, std::move(functions), &program};
      continue;
    }
    if (functions == first.functions &&
        data_of(problem, program) == data_of(problem, *first.program)) {
      continue;
    }
    return fmt::format(
        "its code is not the same at the sizes {} and {}; {} {} known at run time "
        "only: use {} in AUTOKERNEL_LAUNCH alone, and hand it to the kernel as a "
        "parameter, .arguments = \"..., {}\"",
        first.size, size->size_name, fmt::join(problem.runtime_sizes, ", "),
        problem.runtime_sizes.size() == 1 ? "is" : "are", problem.runtime_sizes.front(),
        problem.runtime_sizes.front());
  }
  return std::nullopt;
}

}  // namespace autokernel::trial
