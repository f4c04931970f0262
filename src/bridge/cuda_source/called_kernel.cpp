// The kernel of host code that is called from outside.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "autokernel/bridge/cuda_source.h"
#include "bridge/cuda_source/host_statements.h"
#include "bridge/cuda_source/imported_case.h"

namespace autokernel::bridge {
namespace {

// "run": of m.def("run", &f) the function f, else the one of that name.
[[nodiscard]] const Function* exported_function(const Source& source, const std::string& name) {
  std::string own = name;
  for (const Node& root : source.roots()) {
    walk(root, [&](const Node& at) {
      if (!at.is("call_expression") || last_name(at.field("function")) != "def") return true;
      const std::vector<Node> arguments = arguments_of(at);
      if (arguments.size() < 2 || arguments[0].text() != fmt::format("\"{}\"", name)) return true;
      const bool is_address = arguments[1].is("pointer_expression");
      own = last_name(is_address ? arguments[1].field("argument") : arguments[1]);
      return true;
    });
  }
  for (const Function* const function : source.functions_called(own))
    if (!function->is_kernel && !function->is_macro) return function;
  return nullptr;
}

// Of "return y;", "return {y, z};" and "return std::make_tuple(y, z);" the variables.
[[nodiscard]] std::vector<std::string> variables_in(const Node& returned) {
  static const std::set<std::string> kTuples = {"make_tuple", "tie", "move"};
  static const std::set<std::string> kViews = {"view", "reshape", "squeeze", "unsqueeze",
                                               "flatten"};
  Node what = returned;
  while (what.is("call_expression") && what.field("function").is("field_expression") &&
         kViews.contains(last_name(what.field("function"))))
    what = what.field("function").field("argument");
  const bool is_tuple =
      what.is("call_expression") && kTuples.contains(last_name(what.field("function")));
  const std::vector<Node> parts = is_tuple                      ? arguments_of(what)
                                  : what.is("initializer_list") ? what.children()
                                                                : std::vector<Node>{what};
  std::vector<std::string> names;
  names.reserve(parts.size());
  for (const Node& part : parts) names.push_back(part.is("identifier") ? part.string() : "");
  return names;
}

// None where it returns one thing here and another there.
[[nodiscard]] std::optional<std::vector<std::string>> returned_variables(const Function& function) {
  std::optional<std::vector<std::string>> names;
  bool is_one = true;
  walk(function.body, [&](const Node& at) {
    if (at.is("lambda_expression")) return false;
    if (!at.is("return_statement") || at.children().empty()) return true;
    std::vector<std::string> here = variables_in(at.children()[0]);
    is_one = is_one && (!names || *names == here);
    names = std::move(here);
    return true;
  });
  if (!is_one) return std::nullopt;
  return names.value_or(std::vector<std::string>());
}

// How often a variable of that name is declared.
[[nodiscard]] std::size_t declarations_of(const std::string& name, const KernelLaunch& launch) {
  std::size_t count = 0;
  for (const Frame* frame = launch.frame; frame != nullptr; frame = frame->caller) {
    walk(frame->function->body, [&](const Node& at) {
      if (!at.is("declaration")) return true;
      for (const Node& each : at.fields("declarator")) {
        const Node declared = each.is("init_declarator") ? each.field("declarator") : each;
        if (declared.text() == name) ++count;
      }
      return true;
    });
  }
  return count;
}

[[nodiscard]] Value extent_of(const std::string& text, const HostCall& call) {
  const auto size = call.sizes.find(text);
  if (size == call.sizes.end()) return Expression::number(std::stod(text), true);
  return Expression::symbol(
      {.name = text, .value = std::nullopt, .is_whole = true, .file = {}, .line = 0});
}

[[nodiscard]] std::map<std::string, KnownParameter> known_parameters(const Function& function,
                                                                     const HostCall& call) {
  std::map<std::string, KnownParameter> known;
  for (std::size_t i = 0; i < call.parameters.size(); ++i) {
    const HostCall::Operand& operand = call.parameters[i];
    KnownParameter& parameter = known[function.parameters[i].name];
    parameter = {
        .name = operand.name, .is_tensor = operand.is_tensor, .extents = {}, .number = nullptr};
    if (!operand.symbol.empty()) {
      parameter.number = extent_of(operand.symbol, call);
    } else if (operand.number) {
      parameter.number = Expression::number(*operand.number, operand.is_whole);
    }
    for (const std::string& extent : operand.shape)
      parameter.extents.push_back(extent_of(extent, call));
  }
  return known;
}

[[nodiscard]] const Function* outermost(const Frame* frame) {
  while (frame != nullptr && frame->caller != nullptr) frame = frame->caller;
  return frame == nullptr ? nullptr : frame->function;
}

}  // namespace

std::variant<CalledKernel, std::string> import_called_kernel(
    const std::string& file, const std::string& text,
    const std::map<std::string, std::string>& headers, const HostCall& call) {
  const Source source(file, text, headers);
  const Function* const function = exported_function(source, call.function);
  if (function == nullptr) return fmt::format("it has no function {}()", call.function);
  if (function->parameters.size() != call.parameters.size()) {
    return fmt::format("{}() takes {} parameters, and {} are handed over", call.function,
                       function->parameters.size(), call.parameters.size());
  }
  std::map<std::string, std::string> locals;
  const auto variables = returned_variables(*function);
  if (!variables)
    return fmt::format("{}() returns one thing here and another there", call.function);
  for (std::size_t i = 0; i < variables->size() && i < call.returned.size(); ++i) {
    const std::string& variable = (*variables)[i];
    if (variable.empty())
      return fmt::format("{}() returns more than a variable: {} has to be one", call.function,
                         call.returned[i]);
    for (std::size_t p = 0; p < call.parameters.size(); ++p) {
      const bool is_other =
          function->parameters[p].name == variable && call.parameters[p].name != call.returned[i];
      if (is_other)
        return fmt::format("{}() returns {} in place of {}", call.function, variable,
                           call.returned[i]);
    }
    locals[variable] = call.returned[i];
  }

  HostValues values(source);
  values.know(*function, known_parameters(*function, call));
  std::vector<KernelLaunch> launches = launches_of(source, values);
  std::erase_if(launches, [&](const KernelLaunch& launch) {
    const auto is_reached = values.is_reached(launch.place, launch.frame);
    return outermost(launch.frame) != function || (is_reached && !*is_reached);
  });
  if (launches.empty())
    return fmt::format("{}() launches no kernel of its own that the text shows", call.function);
  if (launches.size() > 1) {
    return fmt::format(
        "{}() launches {} kernels, in lines {} and {}: one can be taken from host "
        "code",
        call.function, launches.size(), launches[0].place.line(), launches[1].place.line());
  }
  for (const auto& [variable, tensor] : locals) {
    if (declarations_of(variable, launches[0]) > 1)
      return fmt::format("{}() has several variables {}", call.function, variable);
  }
  if (auto more = more_than_a_launch(source, values, launches[0])) return *std::move(more);
  return called_kernel(source, values, launches[0], call, locals);
}

}  // namespace autokernel::bridge
