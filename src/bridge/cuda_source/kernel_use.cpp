#include "bridge/cuda_source/kernel_use.h"

#include <algorithm>
#include <set>
#include <vector>

#include "bridge/cuda_source/adapter.h"
#include "bridge/cuda_source/host_values.h"

namespace autokernel::bridge {
namespace {

class Uses {
 public:
  // What is known of functions that are called, so that none is gone through twice.
  using Known = std::map<const Function*, std::map<std::string, ParameterUse>>;

  Uses(const Source& source, const Function& function, Known& known)
      : source_(source), function_(function), known_(known) {
    for (const Parameter& parameter : function.parameters) {
      if (parameter.pointers > 0 || is_accessor(parameter.type))
        owners_[parameter.name].insert(parameter.name);
    }
    find_aliases();
  }

  [[nodiscard]] std::map<std::string, ParameterUse> all() {
    for (const Parameter& parameter : function_.parameters)
      if (parameter.pointers > 0) uses_[parameter.name];
    walk(function_.body, [&](const Node& at) {
      if (at.is("identifier")) see(at);
      // Loader loader(x, y), which could be a function, too.
      if (at.is("type_identifier") && at.parent().is("parameter_declaration") &&
          owners_.contains(at.string()))
        mark(at, true, true);
      return true;
    });
    for (const Parameter& parameter : function_.parameters) {
      if (parameter.is_const && parameter.pointers > 0) uses_[parameter.name].is_written = false;
    }
    return uses_;
  }

 private:
  // float4* v = (float4*)x; float* row = x + i * n;
  void find_aliases() {
    for (int pass = 0; pass < 2; ++pass) {
      walk(function_.body, [&](const Node& at) {
        Node name;
        Node value;
        if (at.is("init_declarator") && (pointers_of(at.field("declarator")) > 0 ||
                                         at.parent().field("type").text() == "auto")) {
          name = declared_name(at);
          value = at.field("value");
        } else if (at.is("assignment_expression") && at.field("operator").text() == "=" &&
                   at.field("left").is("identifier") &&
                   owners_.contains(at.field("left").string())) {
          name = at.field("left");
          value = at.field("right");
        }
        if (!name || !value || is_element(value)) return true;
        for (const std::string& word : names_in(value)) {
          const auto known = owners_.find(word);
          if (known == owners_.end()) continue;
          const std::set<std::string> owners = known->second;
          owners_[name.string()].insert(owners.begin(), owners.end());
        }
        return true;
      });
    }
  }

  // x[i] and *x are no addresses.
  [[nodiscard]] static bool is_element(const Node& value) {
    return value.is("subscript_expression") ||
           (value.is("pointer_expression") && value.field("operator").text() == "*") ||
           (value.is("call_expression") && !last_name(value.field("function")).ends_with("_cast"));
  }

  void mark(const Node& at, bool reads, bool writes) {
    for (const std::string& owner : owners_.at(at.string())) {
      uses_[owner].is_read |= reads;
      uses_[owner].is_written |= writes;
    }
  }

  void see(const Node& at) {
    if (!owners_.contains(at.string())) return;
    // The element that it is part of: x[i], *(x + i), reinterpret_cast<float4*>(x)[i].
    Node element;
    Node below = at;
    for (Node up = at.parent(); up; below = up, up = up.parent()) {
      const bool is_base = up.is("subscript_expression") && up.field("argument") == below;
      const bool is_target = up.is("pointer_expression") && up.field("operator").text() == "*";
      if (is_base || is_target) {
        element = up;
        break;
      }
      if (up.is("argument_list")) {
        const Node call = up.parent();
        if (!call.is("call_expression")) return mark(at, true, true);  // a constructor
        const std::string callee = last_name(call.field("function"));
        if (callee.ends_with("_cast")) continue;
        hand_over(at, call, below);
        return;
      }
      if (up.kind().starts_with("gnu_asm")) return see_asm(at, up);
      const bool goes_on = up.is("parenthesized_expression") || up.is("cast_expression") ||
                           up.is("binary_expression") || up.is("call_expression") ||
                           up.is("field_expression") || up.is("update_expression");
      if (up.is("return_statement")) return mark(at, true, true);
      if (!goes_on) return;  // an alias, a comparison, an index
    }
    if (!element) return;
    if (is_in_index(element)) {
      for (const std::string& owner : owners_.at(at.string())) uses_[owner].is_index = true;
    }
    // x[i].y = and x[i][j] = write it, too; &x[i] is an address again.
    Node whole = element;
    for (Node up = whole.parent(); up; up = up.parent()) {
      const bool is_part = (up.is("field_expression") || up.is("subscript_expression")) &&
                           up.field("argument") == whole;
      // reinterpret_cast<float4&>(x[i])
      const bool is_cast =
          (up.is("argument_list") && last_name(up.parent().field("function")).ends_with("_cast")) ||
          (up.is("call_expression") && last_name(up.field("function")).ends_with("_cast"));
      if (!is_part && !is_cast && !up.is("parenthesized_expression")) break;
      whole = up;
    }
    const Node up = whole.parent();
    const bool is_changed = up.is("update_expression") ||
                            (up.is("argument_list") && is_by_reference(up.parent(), whole));
    if (up.is("assignment_expression") && up.field("left") == whole) {
      mark(at, up.field("operator").text() != "=", true);
    } else if (up.is("pointer_expression") && up.field("operator").text() == "&") {
      Node list = up.parent();
      Node part = up;
      while (list && !list.is("argument_list") && !list.kind().ends_with("statement")) {
        part = list;
        list = list.parent();
      }
      if (list.is("argument_list") &&
          !last_name(list.parent().field("function")).ends_with("_cast")) {
        hand_over(at, list.parent(), part);
      } else {
        see_cast(at, up);
      }
    } else {
      mark(at, true, is_changed);
    }
  }

  void see_asm(const Node& at, Node statement) {
    while (statement.parent().kind().starts_with("gnu_asm")) statement = statement.parent();
    const std::string_view text = statement.text();
    const bool loads = text.find("ld.") != std::string_view::npos;
    const bool stores = text.find("st.") != std::string_view::npos;
    const bool copies = text.find("cp.") != std::string_view::npos;
    if (copies || loads == stores) return mark(at, true, !loads || stores);
    mark(at, loads, stores);
  }

  // reinterpret_cast<float4*>(&x[i])[0] = v; FLOAT4(x[i]) = v;
  void see_cast(const Node& at, const Node& address) {
    for (Node up = address.parent(), below = address; up; below = up, up = up.parent()) {
      if (up.is("assignment_expression")) {
        const bool is_left = up.field("left") == below;
        mark(at, !is_left || up.field("operator").text() != "=", is_left);
        return;
      }
      if (up.is("init_declarator")) {
        const Node value = up.field("value");
        const bool is_pointer = pointers_of(up.field("declarator")) > 0;
        mark(at, true, is_pointer && !value.is("pointer_expression"));
        return;
      }
      if (up.kind().ends_with("statement")) break;
    }
    mark(at, true, true);
  }

  // A macro that casts what it is given is assigned to; a function may take a reference.
  [[nodiscard]] bool is_by_reference(const Node& call, const Node& argument) {
    const std::string callee = last_name(call.field("function"));
    if (source_.macro(callee) != nullptr) {
      const Node up = call.parent();
      if (up.is("assignment_expression") && up.field("left") == call) return true;
      Node outer = call;
      while (outer.parent().is("field_expression")) outer = outer.parent();
      return outer.parent().is("assignment_expression") && outer.parent().field("left") == outer;
    }
    const std::vector<Node> arguments = arguments_of(call);
    const auto place = std::ranges::find(arguments, argument) - arguments.begin();
    for (const Function* const function : source_.functions_called(callee)) {
      if (static_cast<std::size_t>(place) >= function->parameters.size()) continue;
      const Parameter& parameter = function->parameters[static_cast<std::size_t>(place)];
      const std::string text = parameter.declaration.string();
      if (text.find('&') != std::string::npos && !parameter.is_const) return true;
    }
    return false;
  }

  void hand_over(const Node& at, const Node& call, const Node& argument) {
    const std::string callee = last_name(call.field("function"));
    static const std::set<std::string> kReads = {"__ldg",  "__ldcs",           "__ldca", "__ldcg",
                                                 "__ldlu", "load_matrix_sync", "printf", "__ldcv"};
    static const std::set<std::string> kWrites = {"__stcs", "__stcg", "__stwb", "__stwt",
                                                  "store_matrix_sync"};
    if (kReads.contains(callee)) return mark(at, true, false);
    if (kWrites.contains(callee)) return mark(at, false, true);
    const std::vector<Node> arguments = arguments_of(call);
    const auto place =
        static_cast<std::size_t>(std::ranges::find(arguments, argument) - arguments.begin());
    for (const Function* const function : source_.functions_called(callee)) {
      if (place >= function->parameters.size()) continue;
      const Parameter& parameter = function->parameters[place];
      // Of one that calls itself, what its own calls do not add.
      constexpr std::size_t kMostFunctions = 64;
      if (known_.size() > kMostFunctions) break;
      auto [found, is_new] = known_.try_emplace(function);
      if (is_new) {
        auto all = Uses(source_, *function, known_).all();
        known_[function] = std::move(all);
      }
      auto inner = known_[function];
      if (parameter.pointers == 0) {
        mark(at, true, parameter.declaration.text().find('&') != std::string_view::npos);
      } else {
        const ParameterUse& use = inner[parameter.name];
        mark(at, use.is_read, use.is_written);
        if (use.is_index)
          for (const std::string& owner : owners_.at(at.string())) uses_[owner].is_index = true;
      }
      return;
    }
    mark(at, true, true);
  }

  [[nodiscard]] static bool is_in_index(const Node& element) {
    for (Node up = element.parent(), below = element; up; below = up, up = up.parent()) {
      if (up.is("subscript_argument_list")) return true;
      if (up.kind().ends_with("statement") || up.is("assignment_expression")) return false;
      if (up.is("init_declarator")) {
        // int k = idx[i]; ... x[k]
        const std::string name = declared_name(up).string();
        const Node scope = up.parent().parent();
        bool is_used = false;
        walk(scope, [&](const Node& at) {
          if (at.is("subscript_argument_list")) {
            const std::vector<std::string> words = names_in(at);
            is_used |= std::ranges::find(words, name) != words.end();
          }
          return !is_used;
        });
        return is_used;
      }
    }
    return false;
  }

  const Source& source_;
  const Function& function_;
  Known& known_;
  std::map<std::string, std::set<std::string>> owners_;  // of a pointer: the parameters it is into
  std::map<std::string, ParameterUse> uses_;
};

}  // namespace

std::map<std::string, ParameterUse> uses_of(const Source& source, const Function& kernel) {
  Uses::Known known;
  return Uses(source, kernel, known).all();
}

}  // namespace autokernel::bridge
