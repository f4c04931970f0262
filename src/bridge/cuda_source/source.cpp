#include "bridge/cuda_source/source.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "bridge/cuda_source/conditionals.h"

namespace autokernel::bridge {
namespace {

[[nodiscard]] bool is_name(const Node& node) {
  return node.is("identifier") || node.is("field_identifier") || node.is("type_identifier") ||
         node.is("namespace_identifier");
}

[[nodiscard]] Node function_declarator(const Node& definition) {
  Node at = definition.field("declarator");
  while (at && !at.is("function_declarator")) at = at.field("declarator");
  return at;
}

[[nodiscard]] Parameter parameter_of(const Node& declaration) {
  Parameter parameter;
  parameter.declaration = declaration;
  const Node declarator = declaration.field("declarator");
  if (declarator) {
    parameter.name = declared_name(declarator).string();
    parameter.pointers = pointers_of(declarator);
  }
  parameter.type = type_of(declaration);
  for (const Node& child : declaration.tokens()) {
    if (declarator && child.begin() >= declarator.begin()) break;
    if (child.is("type_qualifier") && (child.text() == "const" || child.text() == "constexpr"))
      parameter.is_const = true;
  }
  return parameter;
}

[[nodiscard]] std::string scope_of(const Node& node) {
  std::string scope;
  for (Node at = node.parent(); at; at = at.parent()) {
    if (at.is("namespace_definition") && at.field("name"))
      scope.insert(0, at.field("name").string() + "::");
  }
  return scope;
}

[[nodiscard]] bool is_in_function(const Node& node) {
  for (Node at = node.parent(); at; at = at.parent()) {
    if (at.is("function_definition") || at.is("compound_statement")) return true;
  }
  return false;
}

}  // namespace

Node declared_name(const Node& declarator) {
  Node at = declarator;
  while (at && !is_name(at)) {
    Node next = at.field("declarator");
    if (!next && at.is("qualified_identifier")) next = at.field("name");
    if (!next) {
      const std::vector<Node> children = at.children();
      const auto found = std::ranges::find_if(children, [](const Node& child) {
        return is_name(child) || child.kind().ends_with("declarator");
      });
      next = found == children.end() ? Node() : *found;
    }
    at = next;
  }
  return at;
}

int pointers_of(const Node& declarator) {
  int pointers = 0;
  walk(declarator, [&](const Node& at) {
    if (at.is("pointer_declarator") || at.is("array_declarator") ||
        at.is("abstract_pointer_declarator") || at.is("abstract_array_declarator"))
      ++pointers;
    return !at.is("parameter_list") && !at.is("argument_list") && !at.is("subscript_expression");
  });
  return pointers;
}

std::string type_of(const Node& declaration) {
  std::string type = declaration.field("type").string();
  // "unsigned   long": one space each.
  std::string plain;
  for (const char c : type) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_space) {
      plain += c;
    } else if (!plain.empty() && plain.back() != ' ') {
      plain += ' ';
    }
  }
  if (plain.starts_with("const ")) plain.erase(0, 6);
  return plain;
}

Source::Source(const std::string& file, const std::string& text,
               const std::map<std::string, std::string>& headers) {
  Defined defined = defined_by_the_compiler();
  std::set<std::string> added;
  const std::function<void(const std::string&, const std::string&)> add =
      [&](const std::string& name, const std::string& whole) {
        const auto include = [&](const std::string& header) {
          const auto found = headers.find(header);
          if (found != headers.end() && added.insert(header).second) add(header, found->second);
        };
        std::string compiled = without_conditionals(name, whole, defined, assumptions_, include);
        files_.push_back(std::make_unique<Syntax>(name, std::move(compiled)));
      };
  add(file, text);
  for (const auto& syntax : files_) {
    walk(syntax->root(), [&](const Node& node) {
      if (node.is("preproc_def") || node.is("preproc_function_def")) read_macro(node);
      return true;
    });
  }
  for (const auto& syntax : files_) read(*syntax);
  for (const auto& [name, macro] : macros_) {
    if (!macro.statements) continue;
    for (const Node& node : macro.statements->root().children()) {
      if (!node.is("function_definition")) continue;
      read_function(node);
      if (!functions_.empty()) functions_.back().is_macro = true;
    }
  }
  for (const Node& root : roots()) {
    walk(root, [&](const Node& node) {
      if (node.is("call_expression")) {
        Node callee = node.field("function");
        while (callee.is("qualified_identifier") || callee.is("template_function"))
          callee = callee.field("name");
        calls_[callee.string()].push_back(node);
      }
      return true;
    });
  }
}

void Source::read(const Syntax& syntax) {
  walk(syntax.root(), [&](const Node& node) {
    if (node.is("function_definition")) {
      read_function(node);
      return true;
    }
    if (node.is("type_definition")) {
      for (const Node& declarator : node.fields("declarator"))
        aliases_[declared_name(declarator).string()].push_back(node);
    } else if (node.is("alias_declaration")) {
      aliases_[node.field("name").string()].push_back(node);
    } else if (node.is("declaration") && !is_in_function(node)) {
      for (const Node& declarator : node.fields("declarator")) {
        if (!declarator.is("function_declarator"))
          variables_[declared_name(declarator).string()].push_back(
              {.declaration = node, .declarator = declarator});
      }
    }
    if ((node.is("struct_specifier") || node.is("class_specifier")) && node.field("body")) {
      structs_.emplace(node.field("name").string(), node);
      // typedef struct { ... } Name;
      if (node.parent().is("type_definition")) {
        for (const Node& declarator : node.parent().fields("declarator"))
          structs_.emplace(declared_name(declarator).string(), node);
      }
    }
    return true;
  });
}

void Source::read_function(const Node& definition) {
  const Node declarator = function_declarator(definition);
  if (!declarator || !definition.field("body")) return;
  Function function;
  function.name = declared_name(declarator.field("declarator")).string();
  function.qualified = scope_of(definition) + function.name;
  function.definition = definition;
  function.body = definition.field("body");
  for (const Node& child : declarator.field("parameters").children()) {
    if (child.is("parameter_declaration") || child.is("optional_parameter_declaration"))
      function.parameters.push_back(parameter_of(child));
  }
  if (function.parameters.size() == 1 && function.parameters[0].type == "void" &&
      function.parameters[0].pointers == 0)
    function.parameters.clear();
  const Node around = definition.parent();
  for (Node at = around; at; at = at.parent())
    function.is_local |= at.is("namespace_definition") && !at.field("name");
  function.is_specialization =
      around.is("template_declaration") && around.field("parameters").children().empty();
  if (around.is("template_declaration")) {
    for (const Node& child : around.field("parameters").children()) {
      const bool is_type =
          child.is("type_parameter_declaration") || child.is("optional_type_parameter_declaration");
      Node name = is_type ? child.field("name") : declared_name(child.field("declarator"));
      if (!name && !child.children().empty()) name = child.children().front();
      function.template_parameters.push_back(name.string());
      function.template_is_type.push_back(is_type);
      function.template_defaults.push_back(is_type ? child.field("default_type")
                                                   : child.field("default_value"));
    }
  }
  const std::string_view before =
      std::string_view(definition.syntax()->text())
          .substr(definition.begin(), declarator.begin() - definition.begin());
  const std::vector<std::string> words = names_in(before);
  function.is_local |= std::ranges::find(words, "static") != words.end();
  function.is_kernel = means_device(words, "__global__");
  function.is_device = means_device(words, "__device__") || means_device(words, "constexpr");
  functions_.push_back(std::move(function));
}

bool Source::means_device(const std::vector<std::string>& words, const char* word) const {
  return std::ranges::any_of(words, [&](const std::string& each) {
    if (each == word) return true;
    const Macro* const known = macro(each);
    if (known == nullptr) return false;
    const std::vector<std::string> inner = names_in(known->definition.text());
    return std::ranges::find(inner, word) != inner.end();
  });
}

void Source::read_macro(const Node& definition) {
  Macro macro;
  macro.definition = definition;
  macro.is_function = definition.is("preproc_function_def");
  for (const Node& parameter : definition.field("parameters").children())
    macro.parameters.push_back(parameter.string());
  std::string value = definition.field("value").string();
  for (std::size_t at = value.find("\\\n"); at != std::string::npos; at = value.find("\\\n"))
    value.replace(at, 2, " ");
  const std::string plain = value.substr(0, std::min(value.find("//"), value.size()));
  const std::string& file = definition.syntax()->file();
  macro.body = std::make_unique<Syntax>(file, "auto value_ = " + plain + ";");
  walk(macro.body->root(), [&](const Node& node) {
    if (node.is("init_declarator") && !macro.value) macro.value = node.field("value");
    return !macro.value;
  });
  if (macro.is_function && plain.find(';') != std::string::npos) {
    std::string parameters;
    for (const std::string& name : macro.parameters)
      parameters += (parameters.empty() ? "int " : ", int ") + name;
    // In the line of the macro, for messages.
    const std::string name = definition.field("name").string();
    macro.statements = std::make_unique<Syntax>(
        file, std::string(static_cast<std::size_t>(definition.line() - 1), '\n') + "void " + name +
                  "(" + parameters + ") {" + plain + ";}");
  }
  macro.is_redefined = macros_.contains(definition.field("name").string());
  macros_.insert_or_assign(definition.field("name").string(), std::move(macro));
}

const std::vector<Node>& Source::calls_of(const std::string& name) const {
  static const std::vector<Node> kNone;
  const auto found = calls_.find(name);
  return found == calls_.end() ? kNone : found->second;
}

bool Source::declares(const std::string& name) const {
  static const std::set<std::string> kOfEveryKernel = {
      "y0",    "y1",   "yn",   "j0",    "j1",  "jn",  "abs",   "pow",   "exp",  "log",
      "sin",   "cos",  "tan",  "min",   "max", "div", "ceil",  "floor", "sqrt", "norm",
      "clock", "time", "rint", "round", "fma", "erf", "gamma", "hypot"};
  return macros_.contains(name) || variables_.contains(name) || structs_.contains(name) ||
         aliases_.contains(name) || kOfEveryKernel.contains(name) ||
         std::ranges::any_of(
             functions_, [&](const Function& each) { return each.name == name && !each.is_macro; });
}

std::vector<Node> Source::roots() const {
  std::vector<Node> roots;
  roots.reserve(files_.size() + macros_.size());
  for (const auto& file : files_) roots.push_back(file->root());
  for (const auto& [name, macro] : macros_)
    if (macro.statements) roots.push_back(macro.statements->root());
  return roots;
}

std::vector<const Function*> Source::functions_called(const std::string& name) const {
  std::vector<const Function*> found;
  for (const Function& function : functions_) {
    if (function.name == name) found.push_back(&function);
  }
  return found;
}

const Function* Source::function_around(const Node& node) const {
  const Function* around = nullptr;
  for (const Function& function : functions_) {
    if (function.definition.contains(node) &&
        (around == nullptr || around->definition.contains(function.definition)))
      around = &function;
  }
  return around;
}

const Macro* Source::macro(const std::string& name) const {
  const auto found = macros_.find(name);
  return found == macros_.end() ? nullptr : &found->second;
}

std::optional<Source::Variable> Source::variable(const std::string& name) const {
  const auto found = variables_.find(name);
  if (found == variables_.end()) return std::nullopt;
  return found->second.front();
}

Node Source::struct_called(const std::string& name) const {
  const auto found = structs_.find(name);
  return found == structs_.end() ? Node() : found->second;
}

std::string Source::resolved_type(std::string type, int* pointers) const {
  constexpr int kMostAliases = 16;
  for (int i = 0; i < kMostAliases; ++i) {
    if (type.starts_with("std::")) type.erase(0, 5);
    if (const Macro* const known = macro(type); known != nullptr && !known->is_function) {
      type = known->definition.field("value").string();
      continue;
    }
    const auto found = aliases_.find(type);
    if (found == aliases_.end()) break;
    const Node* const active = &found->second.back();
    std::string next;
    if (active->is("type_definition")) {
      for (const Node& declarator : active->fields("declarator")) {
        if (pointers != nullptr && declared_name(declarator).text() == type)
          *pointers += pointers_of(declarator);
      }
      next = type_of(*active);
    } else {
      const Node descriptor = active->field("type");
      next = type_of(descriptor);
      if (pointers != nullptr && descriptor.field("declarator"))
        *pointers += pointers_of(descriptor.field("declarator"));
    }
    if (next.empty() || next == type) break;
    type = next;
  }
  return type;
}

}  // namespace autokernel::bridge
