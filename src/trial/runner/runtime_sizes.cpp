#include "trial/runner/runtime_sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace autokernel::trial {
namespace {

// The symbols of a size that are constants of the kernel.
[[nodiscard]] std::map<std::string, std::string> constants(const cases::Case& problem,
                                                           const std::string& size) {
  std::map<std::string, std::string> symbols = cases::symbol_texts(problem, size);
  for (const std::string& symbol : problem.runtime_sizes) symbols.erase(symbol);
  return symbols;
}

// Whether a line of PTX declares an object of that name and nothing else: such a line ends the
// object, and stands in no function.
[[nodiscard]] bool declares(std::string_view line, std::string_view name) {
  const bool is_object =
      line.starts_with(".const .align ") || line.starts_with(".global .align ") ||
      line.starts_with(".visible .const .align ") || line.starts_with(".visible .global .align ");
  if (!is_object || !line.ends_with(';') || line.find(';') != line.size() - 1) return false;
  const std::string_view declared = line.substr(0, line.find('='));
  for (const std::string_view end : {" ", "["}) {
    const std::string word = " " + std::string(name) + std::string(end);
    if (declared.find(word) != declared.npos) return true;
  }
  return false;
}

// Objects that differ with a runtime size and are no part of the code.
[[nodiscard]] std::vector<std::string> left_out(const cases::Case& problem,
                                                const compile::Program& program) {
  std::vector<std::string> names = problem.runtime_sizes;
  names.emplace_back("autokernel_launch");
  names.emplace_back("autokernel_workspace");
  for (const compile::TensorMap& map : program.declaration.tensor_maps)
    names.push_back("autokernel_tensor_map_" + map.name);
  return names;
}

}  // namespace

std::string code_in(const std::string& ptx, const std::vector<std::string>& objects_left_out) {
  std::string code;
  std::string_view rest = ptx;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool is_left_out = std::ranges::any_of(
        objects_left_out, [&](const std::string& name) { return declares(line, name); });
    if (is_left_out) continue;
    code += line;
    code += '\n';
  }
  return code;
}

std::optional<std::string> differing_code(const cases::Case& problem,
                                          std::span<const SizedCase* const> sizes,
                                          const std::map<std::string, compile::Program>& programs) {
  if (problem.runtime_sizes.empty()) return std::nullopt;
  struct First {
    std::string size;
    std::string code;
  };
  std::map<std::map<std::string, std::string>, First> firsts;
  for (const SizedCase* size : sizes) {
    const compile::Program& program = programs.at(size->size_name);
    std::string code = code_in(program.ptx, left_out(problem, program));
    const auto [known, is_first] = firsts.try_emplace(constants(problem, size->size_name));
    First& first = known->second;
    if (is_first) {
      first = {size->size_name, std::move(code)};
      continue;
    }
    if (code == first.code) continue;
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

bool share_code(const cases::Case& problem, const std::string& one, const std::string& other) {
  return !problem.runtime_sizes.empty() && constants(problem, one) == constants(problem, other);
}

}  // namespace autokernel::trial
