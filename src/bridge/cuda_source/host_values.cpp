#include "bridge/cuda_source/host_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <ranges>
#include <utility>

namespace autokernel::bridge {
namespace {

// How far a value is followed from one definition to the next.
constexpr int kMostSteps = 64;
// And how many values are, for one launch: names that stand for others twice over would be too
// many.
constexpr int kMostLookedAt = 20'000;
// Places of the text, on the way to them.
constexpr std::int64_t kMostWalked = 50'000'000;

[[nodiscard]] bool is_floating(const std::string& type) {
  return type == "float" || type == "double" || type == "half" || type == "__half";
}

[[nodiscard]] bool is_whole_type(const std::string& type) {
  return type == "int" || type == "unsigned" || type == "unsigned int" || type == "size_t" ||
         type == "long" || type == "long long" || type == "unsigned long" || type == "uint" ||
         type == "int64_t" || type == "uint32_t" || type == "int32_t" || type == "uint64_t";
}

[[nodiscard]] Value literal(const Node& node) {
  std::string text;
  for (const char c : node.text()) {
    if (c != '\'') text += c;
  }
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.erase(0, 1);
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  const bool is_binary = text.starts_with("0b") || text.starts_with("0B");
  const bool is_whole = is_hex || is_binary || text.find_first_of(".eEfF") == std::string::npos;
  if (is_whole) {
    const int base = is_hex ? 16 : is_binary ? 2 : text.size() > 1 && text[0] == '0' ? 8 : 10;
    const char* const begin = text.data() + (is_hex || is_binary ? 2 : 0);
    std::uint64_t value = 0;
    const auto [end, failed] = std::from_chars(begin, text.data() + text.size(), value, base);
    // Behind it there is a suffix at most: "0x1p3" is no whole number.
    const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (failed != std::errc() || end == begin ||
        rest.find_first_not_of("uUlLzZ") != std::string_view::npos)
      return nullptr;
    return Expression::number(static_cast<double>(value) * (is_negative ? -1 : 1), true);
  }
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? nullptr : Expression::number(is_negative ? -value : value, false);
}

[[nodiscard]] Value product_of_extents(const std::vector<Value>& extents) {
  Value count = Expression::number(1, true);
  for (const Value& extent : extents) count = Expression::binary("*", count, extent);
  return count;
}

[[nodiscard]] Node scope_around(const Node& node) {
  for (Node at = node.parent(); at; at = at.parent()) {
    if (at.is("compound_statement") || at.is("for_statement") || at.is("function_definition") ||
        at.is("lambda_expression"))
      return at;
  }
  return {};
}

}  // namespace

std::string last_name(const Node& callee) {
  Node at = callee;
  while (at) {
    if (at.is("qualified_identifier") || at.is("template_function") || at.is("template_method") ||
        at.is("template_type")) {
      at = at.field("name");
    } else if (at.is("field_expression")) {
      at = at.field("field");
    } else {
      return at.string();
    }
  }
  return {};
}

bool is_null(const Node& node) {
  return node.is("null") || node.text() == "NULL" || node.text() == "nullptr" || node.text() == "0";
}

std::vector<Node> arguments_of(const Node& call) { return call.field("arguments").children(); }

Node dispatch_around(const Node& node) {
  for (Node at = node; at; at = at.parent()) {
    if (!at.is("lambda_expression")) continue;
    Node around = at.parent();
    while (around && (around.is("parenthesized_expression") || around.is("argument_list")))
      around = around.parent();
    const bool is_dispatch = around && around.is("call_expression") &&
                             last_name(around.field("function")).starts_with("AT_DISPATCH");
    return is_dispatch ? around : Node{};
  }
  return {};
}

void HostValues::assume(const Node& place, const std::string& text) {
  Note note{.file = place ? place.syntax()->file() : "", .line = place.line(), .text = text};
  if (std::ranges::find(assumptions_, note) == assumptions_.end())
    assumptions_.push_back(std::move(note));
}

const Frame* HostValues::make_frame(const Function& function, const Frame* caller,
                                    const std::vector<Node>& arguments, const Node& callee) {
  auto frame = std::make_unique<Frame>();
  frame->function = &function;
  frame->caller = caller;
  for (std::size_t i = 0; i < function.parameters.size() && i < arguments.size(); ++i)
    frame->arguments[function.parameters[i].name] = arguments[i];
  Node instance = callee;
  if (instance.is("qualified_identifier")) instance = instance.field("name");
  const std::vector<Node> given = instance.is("template_function")
                                      ? instance.field("arguments").children()
                                      : std::vector<Node>();
  for (std::size_t i = 0; i < function.template_parameters.size(); ++i) {
    const Node argument = i < given.size() ? given[i] : function.template_defaults[i];
    if (argument) frame->template_arguments[function.template_parameters[i]] = argument;
  }
  frames_.push_back(std::move(frame));
  return frames_.back().get();
}

const Frame* HostValues::frame_of(const Node& node) {
  const Function* const function = source_.function_around(node);
  if (function == nullptr) return nullptr;
  const auto known = frame_of_.find(function);
  if (known != frame_of_.end()) return known->second;
  frame_of_[function] = nullptr;  // of one that calls itself
  Node call;
  for (const Node& each : source_.calls_of(function->name)) {
    if (source_.function_around(each) == function) continue;
    call = each;
    break;
  }
  const Frame* const caller = call ? frame_of(call) : nullptr;
  const Frame* const frame =
      make_frame(*function, caller, call ? arguments_of(call) : std::vector<Node>(),
                 call ? call.field("function") : instance_of(*function));
  frame_of_[function] = frame;
  return frame;
}

Node HostValues::instance_of(const Function& function) const {
  Node instance;
  if (function.template_parameters.empty()) return instance;
  for (const auto& file : source_.files()) {
    walk(file->root(), [&](const Node& at) {
      if (at.is("template_function") && at.field("name").text() == function.name && !instance &&
          source_.function_around(at) == nullptr)
        instance = at;
      return !instance;
    });
  }
  return instance;
}

std::vector<HostValues::Definition> HostValues::definitions(const std::string& name,
                                                            const Node& use,
                                                            const Function& function) const {
  const bool is_placed = use.syntax() == function.definition.syntax();
  std::vector<Definition> found;
  walk(function.body, [&](const Node& at) {
    if (++walked_ > kMostWalked) return false;
    if (is_placed && at.begin() >= use.begin()) return false;
    if (at.is("declaration")) {
      const Node scope = scope_around(at);
      if (is_placed && !scope.contains(use)) return true;
      for (const Node& declarator : at.fields("declarator")) {
        if (declared_name(declarator).text() != name) continue;
        if (is_placed && declarator.contains(use)) continue;
        // What was before is another variable, or is written over.
        found.clear();
        // dim3 grid(n, m), which could be a function, too.
        const bool is_function = declarator.is("function_declarator");
        found.push_back({.place = declarator,
                         .value = declarator.field(is_function ? "parameters" : "value"),
                         .declaration = at,
                         .declarator = declarator});
      }
    }
    if (at.is("pointer_expression") && at.field("operator").text() == "&" &&
        at.field("argument").text() == name && at.parent().is("argument_list"))
      found.push_back(
          {.place = at, .value = {}, .declaration = {}, .declarator = {}, .is_by_address = true});
    const bool is_changed = (at.is("assignment_expression") && at.field("left").text() == name) ||
                            (at.is("update_expression") && at.field("argument").text() == name);
    if (is_changed && !(is_placed && at.contains(use))) {
      found.push_back({.place = at,
                       .value = at.field("operator").text() == "=" ? at.field("right") : Node(),
                       .declaration = {},
                       .declarator = {}});
    }
    return true;
  });
  std::ranges::reverse(found);
  return found;
}

std::optional<HostValues::Origin> HostValues::origin(const std::string& name, const Node& use,
                                                     const Frame* frame) {
  if (frame != nullptr) {
    const std::vector<Definition> defined = definitions(name, use, *frame->function);
    Origin found;
    for (const Definition& definition : defined) {
      if (!found.value && definition.value && !is_null(definition.value)) {
        found.value = definition.value;
        found.frame = frame;
      }
      if (definition.declaration) {
        found.declaration = definition.declaration;
        found.declarator = definition.declarator;
      }
    }
    if (!defined.empty()) return found;
    const auto argument = frame->arguments.find(name);
    if (argument != frame->arguments.end())
      return Origin{
          .value = argument->second, .frame = frame->caller, .declaration = {}, .declarator = {}};
    if (frame->function->is_macro && frame->caller != nullptr)
      return this->origin(name, use, frame->caller);
  }
  if (const auto variable = source_.variable(name)) {
    return Origin{.value = variable->declarator.field("value"),
                  .frame = nullptr,
                  .declaration = variable->declaration,
                  .declarator = variable->declarator};
  }
  return std::nullopt;
}

void HostValues::know(const Function& function, std::map<std::string, KnownParameter> parameters) {
  called_from_outside_ = &function;
  known_ = std::move(parameters);
}

const KnownParameter* HostValues::known(const std::string& name, const Frame* frame) const {
  if (frame == nullptr || frame->function != called_from_outside_) return nullptr;
  const auto found = known_.find(name);
  return found == known_.end() ? nullptr : &found->second;
}

std::optional<std::string> HostValues::known_number(const Node& node, const Frame* frame) {
  if (known_.empty() || !node) return std::nullopt;
  // A scalar of the case has a type, and no conversion may change what it is.
  static const std::set<std::string> kKeeping = {"float", "double", "auto", "const auto"};
  const auto keeps = [&](const std::string& type) { return kKeeping.contains(type); };
  Node at = node;
  for (;;) {
    const std::vector<Node> children = at.children();
    if (at.is("cast_expression") && keeps(type_of(at.field("type")))) {
      at = at.field("value");
    } else if (at.is("parenthesized_expression") && children.size() == 1) {
      at = children[0];
    } else if (at.is("call_expression")) {  // static_cast<float>(x), float(x)
      const Node callee = at.field("function");
      const std::vector<Node> arguments = arguments_of(at);
      const std::vector<Node> types = callee.field("arguments").children();
      const bool is_cast =
          (last_name(callee) == "static_cast" && types.size() == 1 && keeps(type_of(types[0]))) ||
          (callee.is("primitive_type") && keeps(callee.string()));
      if (!is_cast || arguments.size() != 1) return std::nullopt;
      at = arguments[0];
    } else {
      break;
    }
  }
  if (!at.is("identifier")) return std::nullopt;
  const auto from = origin(at.string(), at, frame);
  if (from) {
    const bool is_kept = !from->declaration || keeps(type_at(type_of(from->declaration), frame));
    const bool goes_on = is_kept && !is_changed(at.string(), frame) && from->value &&
                         from->frame != nullptr && ++followed_ < kMostLookedAt;
    return goes_on ? known_number(from->value, from->frame) : std::nullopt;
  }
  const KnownParameter* const parameter = known(at.string(), frame);
  const bool is_scalar = parameter != nullptr && !parameter->is_tensor && !parameter->number;
  return is_scalar && !is_changed(at.string(), frame) ? std::optional(parameter->name)
                                                      : std::nullopt;
}

bool HostValues::is_changed(const std::string& name, const Frame* frame) {
  if (frame == nullptr) return false;
  bool found = false;
  walk(frame->function->body, [&](const Node& at) {
    const bool is_change =
        (at.is("assignment_expression") && at.field("left").text() == name) ||
        (at.is("update_expression") && at.field("argument").text() == name) ||
        (at.is("reference_declarator") && !at.parent().field("value").text().empty() &&
         at.parent().field("value").text() == name);
    found = found || is_change;
    return !found;
  });
  return found;
}

std::vector<Value> HostValues::known_extents(const Node& tensor, const Frame* frame) {
  if (known_.empty()) return {};
  const auto found = pointer(tensor, frame);
  return found && found->is_tensor ? found->extents : std::vector<Value>();
}

Value HostValues::known_size(const Node& tensor, const Value& dimension, const Frame* frame) {
  const std::vector<Value> extents = known_extents(tensor, frame);
  const auto number = dimension ? dimension->value() : std::nullopt;
  if (!number) return nullptr;
  const auto count = static_cast<double>(extents.size());
  const double index = *number < 0 ? *number + count : *number;
  return index >= 0 && index < count ? extents[static_cast<std::size_t>(index)] : nullptr;
}

Value HostValues::unknown(const std::string& name, const Node& place) {
  std::string plain;
  for (const char c : name) plain += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return Expression::symbol({.name = plain,
                             .value = std::nullopt,
                             .is_whole = true,
                             .file = place.syntax()->file(),
                             .line = place.line()});
}

Value HostValues::named_as(const std::string& name, Value value, const Node& place) {
  if (!value || !value->is_whole() || value->number().value_or(0) < 1) return value;
  constexpr double kMostSize = 1099511627776.0;  // 2^40
  if (value->number().value_or(0) > kMostSize) return value;
  // What a macro or a constant of the file is called is its own name; to a variable of the host
  // that name belongs to somebody else.
  const bool is_own = place.is("preproc_def") || source_.function_around(place) == nullptr;
  const bool is_taken = !is_own && source_.declares(name);
  const std::string where = fmt::format("{}:{}", place.syntax()->file(), place.begin());
  std::vector<std::string>& others = names_[name];
  auto found = std::ranges::find(others, where);
  if (found == others.end()) found = others.insert(others.end(), where);
  const auto index = found - others.begin();
  const std::string plain = is_taken ? name + "_host" : name;
  return Expression::symbol({.name = index == 0 ? plain : fmt::format("{}_{}", plain, index + 1),
                             .value = value->number(),
                             .is_whole = true,
                             .file = place.syntax()->file(),
                             .line = place.line()});
}

// Whether what is done at `place` is done before `use`: not in the branch of a condition that does
// not hold, or of which that is not known.
bool HostValues::is_taken(const Node& place, const Node& use, const Frame* frame) {
  Node below = place;
  for (Node at = place.parent(); at && !at.is("function_definition");
       below = at, at = at.parent()) {
    if (at.contains(use)) continue;
    if (!leads_to(at, below, frame).value_or(false)) return false;
  }
  return true;
}

// Whether a statement goes on to the part `below` of it, as far as its condition is told.
std::optional<bool> HostValues::leads_to(const Node& statement, const Node& below,
                                         const Frame* frame) {
  if (statement.is("if_statement") && statement.field("condition") != below) {
    const auto holds = condition_of(statement, frame);
    return holds ? std::optional(*holds == (statement.field("consequence") == below)) : holds;
  }
  if (statement.is("case_statement")) return is_case_taken(statement, frame);
  return true;
}

std::optional<bool> HostValues::condition_of(const Node& statement, const Frame* frame) {
  const Value condition = value(statement.field("condition").field("value"), frame);
  const auto known = condition ? condition->value() : std::nullopt;
  return known ? std::optional(*known != 0) : std::nullopt;
}

std::optional<bool> HostValues::is_case_taken(const Node& statement, const Frame* frame) {
  Node around = statement.parent();
  while (around && !around.is("switch_statement")) around = around.parent();
  const Value of = value(around.field("condition").field("value"), frame);
  const Node chosen = statement.field("value");
  const Value label = chosen ? value(chosen, frame) : nullptr;
  if (!of || !of->value() || !label || !label->value()) return std::nullopt;
  return of->value() == label->value();
}

std::optional<bool> HostValues::is_reached(const Node& place, const Frame* frame) {
  std::optional<bool> reached = true;
  Node below = place;
  for (Node at = place.parent(); at && !at.is("function_definition");
       below = at, at = at.parent()) {
    const std::optional<bool> holds = leads_to(at, below, frame);
    if (holds == false) return false;
    if (!holds) reached = std::nullopt;
  }
  return reached;
}

// After n *= 2, n++ and the like; none where one of them is in a loop, or cannot be told.
Value HostValues::changed(Value value_before, const std::vector<Node>& changes, const Node& use,
                          const Frame* frame) {
  for (const Node& change : changes | std::views::reverse) {
    for (Node at = change.parent(); at && !at.is("function_definition"); at = at.parent()) {
      const bool is_loop =
          at.is("for_statement") || at.is("while_statement") || at.is("do_statement");
      if (is_loop && !(at.syntax() == use.syntax() && at.contains(use))) return nullptr;
    }
    const std::string op = change.field("operator").string();
    if (op.empty()) return nullptr;
    const bool is_step = change.is("update_expression");
    Value by = is_step ? Expression::number(1, true) : value(change.field("right"), frame);
    value_before =
        Expression::binary(op.substr(0, op.size() - 1), std::move(value_before), std::move(by));
    if (!value_before || !value_before->value()) return nullptr;
  }
  return value_before;
}

Value HostValues::named(const Node& node, const Frame* frame) {
  const std::string name = last_name(node);
  if (name == "true") return Expression::number(1, true);
  if (name == "false") return Expression::number(0, true);
  if (frame != nullptr) {
    const std::vector<Definition> defined = definitions(name, node, *frame->function);
    Value best;
    bool may_be_written = false;
    std::vector<Node> changes;  // n *= 2, n++, the last one first
    for (const Definition& definition : defined) {
      may_be_written |= definition.is_by_address;
      const bool is_change =
          !definition.value && !definition.is_by_address && !definition.declaration;
      if (!definition.declaration && !is_taken(definition.place, node, frame)) {
        if (is_strict() && !is_reached(definition.place, frame)) return nullptr;
        if (!is_change && !definition.is_by_address)
          assume(definition.place,
                 fmt::format("{} keeps its value: the condition does not hold, or it is not known",
                             name));
        continue;
      }
      if (is_change) changes.push_back(definition.place);
      if (!definition.value) continue;
      const std::string key =
          fmt::format("{}:{}", definition.place.syntax()->file(), definition.place.begin());
      if (!in_progress_.insert(key).second) continue;
      Value found = value(definition.value, frame);
      in_progress_.erase(key);
      if (!found && is_strict()) return nullptr;
      if (!found) continue;
      const bool is_known = found->value().has_value();
      if (is_known && definition.declaration.parent().is("for_statement")) {
        if (is_strict()) return nullptr;
        assume(definition.place,
               fmt::format("{} is {}, as in the first pass of the loop", name, found->cpp()));
        return found;
      }
      if (definition.declaration) {
        const std::string type = type_at(type_of(definition.declaration), frame);
        if (is_floating(type)) found = Expression::as_whole(found, false);
        if (is_whole_type(type)) found = Expression::as_whole(found, true);
        if (!found) continue;
      }
      // int blocks = 0; ask(&blocks);
      if (may_be_written && found->number() == 0.0) return unknown(name, definition.place);
      if (!changes.empty()) {
        found = changed(found, changes, node, frame);
        if (!found) return unknown(name, definition.place);
        found = named_as(name, found, changes.front());
        return found;
      }
      found = named_as(name, found, definition.place);
      if (is_known) return found;
      if (!best) best = found;
    }
    if (best) return best;
    if (!defined.empty()) return unknown(name, defined.back().place);
    const auto given = frame->template_arguments.find(name);
    if (given != frame->template_arguments.end()) return value(given->second, frame->caller);
    const auto argument = frame->arguments.find(name);
    if (argument != frame->arguments.end()) return value(argument->second, frame->caller);
    if (frame->function->is_macro && frame->caller != nullptr) return named(node, frame->caller);
    if (const KnownParameter* const of_call = known(name, frame);
        of_call != nullptr && of_call->number)
      return of_call->number;
    for (const Parameter& parameter : frame->function->parameters) {
      if (parameter.name == name && parameter.pointers == 0)
        return unknown(name, parameter.declaration);
    }
  }
  if (const Macro* const macro = source_.macro(name); macro != nullptr && !macro->is_function) {
    const Value found = with_macro(*macro, {}, frame);
    // As a size it would lose its text, which may not be one number: #define N 4 + 4.
    const bool is_number =
        macro->value.is("number_literal") || macro->value.is("parenthesized_expression");
    return is_number && !macro->is_redefined ? named_as(name, found, macro->definition) : found;
  }
  if (const auto variable = source_.variable(name)) {
    const Node initial = variable->declarator.field("value");
    Value found = initial ? value(initial, nullptr) : nullptr;
    // Of another type, it has another meaning in the kernel than a size.
    const std::string type = type_at(type_of(variable->declaration), nullptr);
    return found && (type == "int" || type == "auto") ? named_as(name, found, variable->declarator)
                                                      : found;
  }
  return nullptr;
}

Value HostValues::with_macro(const Macro& macro, const std::vector<Node>& arguments,
                             const Frame* frame) {
  if (!macro.value) return nullptr;
  if (!macro.is_function) return value(macro.value, frame);
  // Of the names in its body, only the parameters are the caller's.
  static const Function kNone;
  auto frame_of_body = std::make_unique<Frame>();
  frame_of_body->function = &kNone;
  frame_of_body->caller = frame;
  for (std::size_t i = 0; i < macro.parameters.size() && i < arguments.size(); ++i)
    frame_of_body->template_arguments[macro.parameters[i]] = arguments[i];
  frames_.push_back(std::move(frame_of_body));
  return value(macro.value, frames_.back().get());
}

Value HostValues::returned_by(const Function& function, const std::vector<Node>& arguments,
                              const Frame* frame) {
  const Frame* const inner = make_frame(function, frame, arguments, {});
  Value result;
  bool is_undecided = false;
  walk(function.body, [&](const Node& at) {
    if (!result && !is_undecided && at.is("return_statement") && !at.children().empty()) {
      const auto reached = is_strict() ? is_reached(at, inner) : true;
      is_undecided = !reached;
      if (reached.value_or(false)) result = value(at.children()[0], inner);
    }
    return !result && !is_undecided && !at.is("lambda_expression");
  });
  return result;
}

Value HostValues::size_of(const Node& node, const Frame* frame) {
  std::string type;
  int pointers = 0;
  if (const Node descriptor = node.field("type")) {
    type = type_of(descriptor);
    if (descriptor.field("declarator")) pointers = pointers_of(descriptor.field("declarator"));
  } else {
    Node operand = node.field("value");
    if (operand.is("parenthesized_expression") && operand.children().size() == 1)
      operand = operand.children()[0];
    int taken = 0;
    while (operand.is("pointer_expression") || operand.is("subscript_expression")) {
      operand = operand.field("argument");
      ++taken;
    }
    const auto from = origin(operand.string(), operand, frame);
    if (from && from->declaration) {
      type = type_of(from->declaration);
      pointers = pointers_of(from->declarator) - taken;
      // All of an array.
      Node array = from->declarator;
      if (array.is("init_declarator")) array = array.field("declarator");
      if (taken == 0 && array.is("array_declarator")) {
        const Node size = array.field("size");
        const Node list = from->declarator.field("value");
        const Value count =
            size   ? value(size, frame)
            : list ? Expression::number(static_cast<double>(list.children().size()), true)
                   : nullptr;
        return Expression::binary(
            "*", count, Expression::number(static_cast<double>(bytes_of(type, frame)), true));
      }
    } else {
      type = operand.string();  // sizeof(T), which looks like a name
    }
  }
  constexpr double kPointer = 8;
  if (pointers > 0) return Expression::number(kPointer, true);
  const std::int64_t bytes = bytes_of(type, frame);
  return bytes == 0 ? nullptr : Expression::number(static_cast<double>(bytes), true);
}

std::string HostValues::type_at(const std::string& type, const Frame* frame) const {
  std::string name = type;
  for (const Frame* at = frame; at != nullptr; at = at->caller) {
    const auto given = at->template_arguments.find(name);
    if (given == at->template_arguments.end()) continue;
    name = given->second.is("type_descriptor") ? type_of(given->second) : given->second.string();
  }
  return source_.resolved_type(name);
}

std::int64_t HostValues::bytes_of(const std::string& type, const Frame* frame, int depth) const {
  constexpr int kDeepest = 8;  // of structs in structs
  if (depth > kDeepest) return 0;
  static const std::map<std::string, std::int64_t> kBytes = {
      {"char", 1},          {"signed char", 1},
      {"unsigned char", 1}, {"int8_t", 1},
      {"uint8_t", 1},       {"bool", 1},
      {"short", 2},         {"unsigned short", 2},
      {"int16_t", 2},       {"uint16_t", 2},
      {"half", 2},          {"__half", 2},
      {"nv_bfloat16", 2},   {"__nv_bfloat16", 2},
      {"int", 4},           {"unsigned", 4},
      {"unsigned int", 4},  {"uint", 4},
      {"int32_t", 4},       {"uint32_t", 4},
      {"float", 4},         {"half2", 4},
      {"__half2", 4},       {"__nv_bfloat162", 4},
      {"nv_bfloat162", 4},  {"uchar4", 4},
      {"long", 8},          {"unsigned long", 8},
      {"long long", 8},     {"unsigned long long", 8},
      {"long long int", 8}, {"unsigned long long int", 8},
      {"size_t", 8},        {"int64_t", 8},
      {"uint64_t", 8},      {"double", 8},
      {"float2", 8},        {"int2", 8},
      {"uint2", 8},         {"float3", 12},
      {"int3", 12},         {"float4", 16},
      {"int4", 16},         {"uint4", 16},
      {"double2", 16},      {"uchar", 1}};
  const std::string resolved = type_at(type, frame);
  const auto known = kBytes.find(resolved);
  if (known != kBytes.end()) return known->second;
  const Node body = source_.struct_called(resolved).field("body");
  std::int64_t bytes = 0;
  std::int64_t alignment = 1;
  for (const Node& field : body.children()) {
    if (!field.is("field_declaration")) continue;
    for (const Node& declarator : field.fields("declarator")) {
      if (!declarator.is("field_identifier")) return 0;
      const std::int64_t each = bytes_of(type_of(field), frame, depth + 1);
      if (each == 0) return 0;
      alignment = std::max(alignment, std::min<std::int64_t>(each, 8));
      bytes = (bytes + each - 1) / each * each + each;
    }
  }
  return (bytes + alignment - 1) / alignment * alignment;
}

std::string HostValues::name_of_size(const std::string& tensor, int dimension,
                                     const Frame* frame) const {
  const std::string call = fmt::format("{}.size({})", tensor, dimension);
  std::string name;
  if (frame != nullptr) {
    walk(frame->function->body, [&](const Node& at) {
      if (name.empty() && at.is("init_declarator") && at.field("value").text() == call)
        name = declared_name(at).string();
      return name.empty();
    });
  }
  return name.empty() ? fmt::format("{}_size{}", tensor, dimension) : name;
}

Value HostValues::called(const Node& node, const Frame* frame) {
  const Node callee = node.field("function");
  const std::string name = last_name(callee);
  const std::vector<Node> arguments = arguments_of(node);
  const auto argument = [&](std::size_t i) {
    return i < arguments.size() ? value(arguments[i], frame) : nullptr;
  };
  if (name == "static_cast" || name == "reinterpret_cast" || name == "const_cast") {
    const std::vector<Node> types = callee.field("arguments").children();
    const bool floats = !types.empty() && is_floating(type_at(type_of(types[0]), frame));
    return Expression::as_whole(argument(0), !floats);
  }
  if ((name == "min" || name == "max" || name == "fmin" || name == "fmax") &&
      arguments.size() == 2 && source_.macro(name) == nullptr) {
    return name.ends_with("min") ? Expression::least(argument(0), argument(1))
                                 : Expression::most(argument(0), argument(1));
  }
  if (name == "ceil" || name == "ceilf") return Expression::rounded_up(argument(0));
  if (name == "floor" || name == "floorf") return Expression::as_whole(argument(0), true);
  if (name == "sqrt" || name == "sqrtf") {
    const Value of = argument(0);
    const auto known = of ? of->value() : std::nullopt;
    return known && *known >= 0 ? Expression::number(std::sqrt(*known), false) : nullptr;
  }
  if (callee.is("field_expression")) {
    const std::string of = callee.field("argument").string();
    if (name == "size" && arguments.size() == 1) {
      const Value dimension = argument(0);
      if (Value known = known_size(callee.field("argument"), dimension, frame)) return known;
      const auto index = dimension ? dimension->value() : std::nullopt;
      if (index) return unknown(name_of_size(of, static_cast<int>(*index), frame), callee);
    }
    if (name == "numel" || (name == "size" && arguments.empty())) {
      const std::vector<Value> extents = known_extents(callee.field("argument"), frame);
      if (!extents.empty()) return product_of_extents(extents);
      const auto vector = pointer(callee.field("argument"), frame);
      if (vector && vector->bytes) {
        const Value count = Expression::divided(vector->bytes, bytes_of(vector->type, frame));
        if (count) return count;
      }
      return unknown(of + "_" + name, callee);
    }
    return nullptr;
  }
  if (const Macro* const macro = source_.macro(name)) return with_macro(*macro, arguments, frame);
  if (callee.is("primitive_type")) {
    return Expression::as_whole(argument(0), !is_floating(name));
  }
  for (const Function* const function : source_.functions_called(name)) {
    if (function->parameters.size() < arguments.size()) continue;
    if (const Value found = returned_by(*function, arguments, frame)) return found;
  }
  return nullptr;
}

std::optional<HostValues::Origin> HostValues::member_of(const Node& object,
                                                        const std::string& field,
                                                        const Frame* frame) {
  if (frame == nullptr || !object) return std::nullopt;
  for (const Definition& definition :
       definitions(object.string() + "." + field, object, *frame->function)) {
    if (definition.value)
      return Origin{.value = definition.value, .frame = frame, .declaration = {}, .declarator = {}};
  }
  if (!object.is("identifier")) return std::nullopt;
  const auto from = origin(object.string(), object, frame);
  if (!from) return std::nullopt;
  // A struct that the caller filled in.
  if (from->value.is("identifier") && from->frame != frame)
    return member_of(from->value, field, from->frame);
  for (const Node& part : from->value.children()) {
    if (part.is("initializer_pair") && part.field("designator").text().ends_with(field))
      return Origin{
          .value = part.field("value"), .frame = from->frame, .declaration = {}, .declarator = {}};
  }
  return std::nullopt;
}

Value HostValues::member(const Node& node, const Frame* frame) {
  const Node of = node.field("argument");
  const std::string field = node.field("field").string();
  if (of.is("identifier") && (field == "x" || field == "y" || field == "z")) {
    const auto parts = extents(of, frame);
    const Value& part = parts.at(field == "x" ? 0 : field == "y" ? 1 : 2);
    if (part) return part;
  }
  if (const auto from = member_of(of, field, frame)) {
    if (const Value found = value(from->value, from->frame)) return found;
  }
  return of.is("identifier") ? unknown(of.string() + "_" + field, node) : nullptr;
}

Value HostValues::value(const Node& node, const Frame* frame) {
  if (!node || depth_ >= kMostSteps || ++looked_at_ > kMostLookedAt) return nullptr;
  ++depth_;
  struct Leave {
    int& depth;
    ~Leave() { --depth; }
  } leave{depth_};
  if (node.is("number_literal")) return literal(node);
  if (node.is("true")) return Expression::number(1, true);
  if (node.is("false")) return Expression::number(0, true);
  if (node.is("identifier") || node.is("qualified_identifier") || node.is("type_identifier"))
    return named(node, frame);
  if (node.is("type_descriptor") || node.is("parameter_declaration"))
    return value(node.field("type"), frame);
  const std::vector<Node> children = node.children();
  if (node.is("parenthesized_expression") || node.is("argument_list") ||
      node.is("initializer_list") || node.is("parameter_list"))
    return children.size() == 1 ? value(children[0], frame) : nullptr;
  if (node.is("binary_expression")) {
    return Expression::binary(node.field("operator").string(), value(node.field("left"), frame),
                              value(node.field("right"), frame));
  }
  if (node.is("unary_expression")) {
    const std::string op = node.field("operator").string();
    Value of = value(node.field("argument"), frame);
    if (op == "+") return of;
    if (op == "-") return Expression::minus(of);
    return nullptr;
  }
  if (node.is("cast_expression")) {
    const std::string type = type_at(type_of(node.field("type")), frame);
    return Expression::as_whole(value(node.field("value"), frame), !is_floating(type));
  }
  if (node.is("sizeof_expression")) return size_of(node, frame);
  if (node.is("call_expression")) return called(node, frame);
  if (node.is("field_expression")) return member(node, frame);
  if (node.is("conditional_expression")) {
    const Value condition = value(node.field("condition"), frame);
    const auto holds = condition ? condition->value() : std::nullopt;
    Value yes = value(node.field("consequence"), frame);
    Value no = value(node.field("alternative"), frame);
    if (holds) return *holds != 0 ? yes : no;
    if (is_strict()) return nullptr;
    if (no && no->value()) {
      assume(node, fmt::format("it is {} here, as if the condition did not hold", no->cpp()));
      return no;
    }
    return yes ? yes : no;
  }
  if (node.is("subscript_expression")) {
    const Node of = node.field("argument");
    // x.sizes()[1]
    const std::string list = last_name(of.field("function"));
    if (of.is("call_expression") && (list == "sizes" || list == "shape")) {
      const std::vector<Node> dimension = node.field("indices").children();
      return dimension.size() != 1 ? nullptr
                                   : known_size(of.field("function").field("argument"),
                                                value(dimension[0], frame), frame);
    }
    const auto from = origin(of.string(), of, frame);
    if (!from || !from->value.is("initializer_list")) return nullptr;
    const std::vector<Node> elements = from->value.children();
    const std::vector<Node> indices = node.field("indices").children();
    const Value index = indices.size() == 1 ? value(indices[0], frame) : nullptr;
    const auto known = index ? index->value() : std::nullopt;
    const std::size_t at = known ? static_cast<std::size_t>(*known) : 0;
    if (at >= elements.size()) return nullptr;
    if (!known || !indices[0].is("number_literal"))
      assume(node, fmt::format("it is {}, the first of {}", elements[at].text(), of.text()));
    return value(elements[at], from->frame);
  }
  return nullptr;
}

std::array<Value, 3> HostValues::of_list(const std::vector<Node>& parts, const Frame* frame) {
  std::array<Value, 3> extents;
  for (std::size_t i = 0; i < extents.size(); ++i)
    extents.at(i) = i < parts.size() ? value(parts[i], frame) : Expression::number(1, true);
  return extents;
}

std::array<Value, 3> HostValues::extents(const Node& node, const Frame* frame) {
  if (!node || depth_ >= kMostSteps || ++looked_at_ > kMostLookedAt) return {};
  ++depth_;
  struct Leave {
    int& depth;
    ~Leave() { --depth; }
  } leave{depth_};
  if (node.is("call_expression") && last_name(node.field("function")) == "dim3")
    return of_list(arguments_of(node), frame);
  if (node.is("compound_literal_expression")) return of_list(node.field("value").children(), frame);
  if (node.is("initializer_list") || node.is("argument_list") || node.is("parameter_list")) {
    const std::vector<Node> parts = node.children();
    if (parts.size() == 1) return extents(parts[0], frame);
    return of_list(parts, frame);
  }
  if (node.is("parenthesized_expression") && node.children().size() == 1)
    return extents(node.children()[0], frame);
  if (node.is("identifier") || node.is("field_expression")) {
    const auto from = origin(node.string(), node, frame);
    const bool is_dim3 = from && (!from->declaration || type_of(from->declaration) == "dim3" ||
                                  type_of(from->declaration) == "auto");
    std::array<Value, 3> parts;
    bool is_set = false;
    if (frame != nullptr) {
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const char* const ending = i == 0 ? ".x" : i == 1 ? ".y" : ".z";
        for (const Definition& definition :
             definitions(node.string() + ending, node, *frame->function)) {
          parts.at(i) = value(definition.value, frame);
          is_set = true;
          break;
        }
      }
    }
    if (is_dim3 && from->value && node.is("identifier")) {
      const auto initial = extents(from->value, from->frame);
      for (std::size_t i = 0; i < parts.size(); ++i)
        if (!parts.at(i)) parts.at(i) = initial.at(i);
      // A number that has a name keeps it.
      if (!is_set && initial[0] && initial[0]->number() && type_of(from->declaration) != "dim3")
        return {value(node, frame), initial[1], initial[2]};
      return parts;
    }
    if (is_set) {
      for (Value& part : parts)
        if (!part) part = Expression::number(1, true);
      return parts;
    }
    if (const Macro* const macro = source_.macro(node.string());
        macro != nullptr && macro->value.is("call_expression"))
      return extents(macro->value, frame);
  }
  if (node.is("subscript_expression") && frame != nullptr) {
    // Of a table that is filled in element by element, the one that is asked for.
    Node table = node;
    while (table.is("subscript_expression")) table = table.field("argument");
    std::vector<Node> entries;
    const bool is_shared = source_.variable(table.string()).has_value();
    walk(is_shared ? node.syntax()->root() : frame->function->body, [&](const Node& at) {
      if (at.is("assignment_expression") && at.field("left").is("subscript_expression")) {
        Node left = at.field("left");
        while (left.is("subscript_expression")) left = left.field("argument");
        if (left.text() == table.text()) entries.push_back(at);
      }
      return true;
    });
    if (!entries.empty()) {
      const Node entry = entries[table_entry_ % entries.size()];
      assume(node,
             fmt::format("it is {}, as in line {}", entry.field("right").text(), entry.line()));
      return extents(entry.field("right"), is_shared ? frame_of(entry) : frame);
    }
  }
  const Value whole = value(node, frame);
  if (!whole) return {};
  return {whole, Expression::number(1, true), Expression::number(1, true)};
}

}  // namespace autokernel::bridge
