// Whether the kernels take what they will be handed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "autokernel/base/defences.h"
#include "autokernel/compile/program.h"
#include "autokernel/compile/source_text.h"
#include "compile/kernel_names.h"

namespace autokernel::compile {
namespace {

// Of CUtensorMap (cuda.h).
constexpr std::size_t kMapBytes = 128;
// Of a size, where the kernel takes it as a long long.
constexpr std::size_t kLongBytes = 8;

bool takes(const Parameter& parameter, const Argument& argument) {
  return parameter.bytes == argument.bytes || (argument.is_size && parameter.bytes == kLongBytes);
}

std::string kind_of(const Argument& argument) {
  if (argument.bytes == kMapBytes) return "CUtensorMap";
  return argument.bytes == kPointerBytes ? "pointer" : "\"" + argument.text + "\"";
}

// What is wrong with the parameters; none where they fit. Where they lie does not matter: each is
// handed over by itself.
std::optional<std::string> finding(const std::vector<Parameter>& parameters,
                                   const std::vector<Argument>& expected,
                                   const std::vector<std::string>& written) {
  if (parameters.size() != expected.size()) {
    return fmt::format("has {} parameter{} and is given {}", parameters.size(),
                       parameters.size() == 1 ? "" : "s", expected.size());
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (takes(parameters[i], expected[i])) continue;
    const std::string as_written =
        written.size() == parameters.size() ? fmt::format(" (\"{}\")", written[i]) : "";
    return fmt::format("has a parameter {}{} of {} bytes that is no {}", i + 1, as_written,
                       parameters[i].bytes, kind_of(expected[i]));
  }
  return std::nullopt;
}

// Why a launch hands over what it does.
std::string rule_for(const Launch& launch, const Declaration& declaration,
                     const std::vector<Argument>& of_case) {
  if (!launch.arguments.empty()) return "it takes what .arguments names";
  const bool has_scalars = std::ranges::any_of(
      of_case, [](const Argument& each) { return !each.is_size && each.bytes != kPointerBytes; });
  return fmt::format("it takes a pointer for each tensor of case.toml, in that order{}{}{}",
                     has_scalars ? ", then each scalar by value" : "",
                     declaration.workspace_bytes > 0 ? ", then one for the workspace" : "",
                     declaration.tensor_maps.empty() ? "" : ", then each AUTOKERNEL_TENSOR_MAP");
}

// "x" of "const float* __restrict__ x".
std::string name_in(const std::string& parameter) {
  const std::size_t end = parameter.find_last_not_of(" \t\r\n");
  if (end == std::string::npos || !is_word_character(parameter[end])) return "";
  std::size_t begin = end;
  while (begin > 0 && is_word_character(parameter[begin - 1])) --begin;
  // A type alone is no name.
  return begin == 0 ? "" : parameter.substr(begin, end + 1 - begin);
}

// The first parameter that is called what another one is given; as many as given where there is
// none.
std::size_t first_misplaced(const std::vector<std::string>& written,
                            const std::vector<std::string>& given) {
  if (written.size() != given.size()) return given.size();
  std::size_t i = 0;
  while (i < given.size() &&
         (written[i] == given[i] || std::ranges::find(given, written[i]) == given.end())) {
    ++i;
  }
  return i;
}

}  // namespace

std::vector<Argument> arguments_of(const Declaration& declaration, std::vector<Argument> of_case) {
  const auto sizes = std::ranges::find_if(of_case, &Argument::is_size);
  std::vector<Argument> others;
  if (declaration.workspace_bytes > 0) others.push_back({"workspace", "void* workspace"});
  for (const TensorMap& map : declaration.tensor_maps)
    others.push_back({map.name, "const __grid_constant__ CUtensorMap " + map.name, kMapBytes});
  of_case.insert(sizes, others.begin(), others.end());
  for (const Constant& constant : declaration.constants) {
    of_case.push_back({.name = constant.name,
                       .text = constant.name,
                       .bytes = constant.bytes.size(),
                       .is_constant = true});
  }
  for (const OffsetPointer& pointer : declaration.offset_pointers)
    of_case.push_back({.name = pointer.name, .text = pointer.name, .is_constant = true});
  return of_case;
}

std::variant<std::vector<std::size_t>, std::string> chosen_arguments(
    const Launch& launch, const std::vector<Argument>& arguments) {
  std::vector<std::size_t> chosen;
  if (launch.arguments.empty()) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].is_size && !arguments[i].is_constant) chosen.push_back(i);
    }
    return chosen;
  }
  for (const std::string& name : launch.arguments) {
    const auto found = std::ranges::find(arguments, name, &Argument::name);
    if (found == arguments.end()) {
      std::vector<std::string> names;
      std::ranges::transform(arguments, std::back_inserter(names), &Argument::name);
      return fmt::format(R"(launch of "{}": .arguments names "{}"; there are {})",
                         readable_name(launch.kernel), name, fmt::join(names, ", "));
    }
    chosen.push_back(static_cast<std::size_t>(found - arguments.begin()));
  }
  return chosen;
}

std::optional<std::string> wrong_parameters(const Program& program,
                                            const std::vector<Argument>& of_case,
                                            const Source& source) {
  if (!stands(Defence::parameter_layout)) return std::nullopt;
  const Declaration& declaration = program.declaration;
  const std::vector<Argument> arguments = arguments_of(declaration, of_case);
  for (const Launch& launch : declaration.launches) {
    const auto chosen = chosen_arguments(launch, arguments);
    if (const auto* unknown = std::get_if<std::string>(&chosen))
      return place(declaration.file, declaration.line) + *unknown;
    std::vector<Argument> expected;
    std::vector<std::string> texts;
    for (const std::size_t index : std::get<std::vector<std::size_t>>(chosen)) {
      expected.push_back(arguments[index]);
      texts.push_back(arguments[index].text);
    }
    const std::string name = readable_name(launch.kernel);
    const auto text = find_kernel(source, name);
    const auto wrong = finding(program.parameters.at(launch.kernel), expected,
                               text ? text->parameters : std::vector<std::string>());
    if (!wrong) continue;
    return fmt::format("{}the kernel {} {}; {}: write {}({})",
                       text ? place(text->file, text->line) : place(source.name, 0), name, *wrong,
                       rule_for(launch, declaration, of_case), name, fmt::join(texts, ", "));
  }
  return std::nullopt;
}

std::vector<std::string> doubts(const Program& program, const std::vector<Argument>& of_case,
                                const Source& source) {
  std::vector<std::string> doubts;
  const std::vector<Argument> arguments = arguments_of(program.declaration, of_case);
  const bool waits = program.ptx.find("griddepcontrol.wait") != std::string::npos;
  for (const Launch& launch : program.declaration.launches) {
    const std::string name = readable_name(launch.kernel);
    if (launch.programmatic && !waits) {
      doubts.push_back(fmt::format(
          "the launch of {} is .programmatic, and nothing waits for the launch above "
          "(griddepcontrol.wait, cudaGridDependencySynchronize()) before it reads what that writes",
          name));
    }
    const auto text = find_kernel(source, name);
    const auto chosen = chosen_arguments(launch, arguments);
    const auto* indices = std::get_if<std::vector<std::size_t>>(&chosen);
    if (!text || indices == nullptr) continue;
    std::vector<std::string> written;
    std::ranges::transform(text->parameters, std::back_inserter(written), name_in);
    std::vector<std::string> given;
    for (const std::size_t index : *indices) given.push_back(arguments[index].name);
    if (const std::size_t i = first_misplaced(written, given); i < given.size()) {
      doubts.push_back(
          fmt::format("{} calls its parameter {} {}, and is given {} there; it is "
                      "given {}, in this order",
                      name, i + 1, written[i], given[i], fmt::join(given, ", ")));
    }
  }
  return doubts;
}

}  // namespace autokernel::compile
