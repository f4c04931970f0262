// The kernel of host code that is called from outside.
#include <fmt/format.h>

#include <algorithm>

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
[[nodiscard]] std::vector<std::string> returned_variables(const Function& function) {
  std::vector<std::string> names;
  walk(function.body, [&](const Node& at) {
    if (!at.is("return_statement") || at.children().empty()) return true;
    const Node what = at.children()[0];
    const std::vector<Node> parts = what.is("call_expression")    ? arguments_of(what)
                                    : what.is("initializer_list") ? what.children()
                                                                  : std::vector<Node>{what};
    names.clear();
    for (const Node& part : parts) names.push_back(part.string());
    return true;
  });
  return names;
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
  const std::vector<std::string> variables = returned_variables(*function);
  for (std::size_t i = 0; i < variables.size() && i < call.returned.size(); ++i)
    locals[variables[i]] = call.returned[i];

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
  if (auto more = more_than_a_launch(source, values, launches[0])) return *std::move(more);
  return called_kernel(source, values, launches[0], call, locals);
}

}  // namespace autokernel::bridge
