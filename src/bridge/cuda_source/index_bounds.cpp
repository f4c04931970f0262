#include "bridge/cuda_source/index_bounds.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>

#include "bridge/cuda_source/host_values.h"
#include "bridge/cuda_source/polynomial.h"

namespace autokernel::bridge {
namespace {

constexpr int kDeepest = 32;
// In all, of a kernel.
constexpr int kMostExpressions = 20'000;

class Bounds {
 public:
  Bounds(const Source& source, const Function& kernel, const LaunchValues& launch)
      : source_(source), kernel_(kernel), launch_(launch), constants_(source) {}

  [[nodiscard]] std::map<std::string, Value> all() {
    std::map<std::string, Polynomial> most;
    walk(kernel_.body, [&](const Node& at) {
      if (at.is("subscript_expression")) {
        const std::vector<Node> indices = at.field("indices").children();
        if (indices.size() == 1) see(at.field("argument"), indices[0], most);
      } else if (at.is("pointer_expression") && at.field("operator").text() == "*") {
        see(at.field("argument"), Node(), most);
      }
      return true;
    });
    // x += offset: where it points is not followed.
    walk(kernel_.body, [&](const Node& at) {
      if (at.is("assignment_expression")) most.erase(at.field("left").string());
      if (at.is("update_expression")) most.erase(at.field("argument").string());
      return true;
    });
    std::map<std::string, Value> extents;
    for (const auto& [name, last] : most) {
      const Polynomial count = last + Polynomial(1);
      const auto number = count.value();
      if (!number || *number >= 1) extents[name] = count.expression();
    }
    return extents;
  }

 private:
  // x[i], (x + offset)[i], *x.
  void see(Node base, const Node& index, std::map<std::string, Polynomial>& most) {
    auto last = index ? largest(index) : std::optional(Polynomial(0));
    for (int i = 0; base && i < kDeepest && last; ++i) {
      if (base.is("parenthesized_expression") && base.children().size() == 1) {
        base = base.children()[0];
      } else if (base.is("binary_expression") && base.field("operator").text() == "+") {
        const auto offset = largest(base.field("right"));
        last = offset ? std::optional(*last + *offset) : std::nullopt;
        base = base.field("left");
      } else if (base.is("identifier")) {
        const auto parameter =
            std::ranges::find(kernel_.parameters, base.string(), &Parameter::name);
        if (parameter != kernel_.parameters.end() && parameter->pointers == 1) {
          keep(parameter->name, *last, most);
          return;
        }
        const Node initial = alias(base.string());
        if (!initial) return;
        base = initial;
      } else {
        return;
      }
    }
  }

  // What a pointer of the kernel's own begins as: float* row = x + i * n.
  [[nodiscard]] Node alias(const std::string& name) const {
    Node value;
    walk(kernel_.body, [&](const Node& at) {
      if (at.is("init_declarator") && declared_name(at).text() == name && !value &&
          (pointers_of(at.field("declarator")) == 1 || at.parent().field("type").text() == "auto"))
        value = at.field("value");
      return !value;
    });
    return value;
  }

  static void keep(const std::string& name, const Polynomial& last,
                   std::map<std::string, Polynomial>& most) {
    const auto known = most.find(name);
    if (known == most.end()) {
      most.emplace(name, last);
      return;
    }
    const auto difference = (last - known->second).value();
    if (difference && *difference > 0) known->second = last;
  }

  [[nodiscard]] std::optional<Polynomial> largest(const Node& node) {
    if (!node || depth_ >= kDeepest || ++seen_ > kMostExpressions) return std::nullopt;
    ++depth_;
    auto found = largest_of(node);
    --depth_;
    if (found && found->is_long()) return std::nullopt;
    return found;
  }

  [[nodiscard]] std::optional<Polynomial> largest_of(const Node& node) {
    if (node.is("number_literal")) return Polynomial::of(constants_.value(node, nullptr));
    const std::vector<Node> children = node.children();
    if (node.is("parenthesized_expression") && children.size() == 1) return largest(children[0]);
    if (node.is("cast_expression")) return largest(node.field("value"));
    if (node.is("field_expression")) return of_builtin(node);
    if (node.is("identifier")) return of_name(node);
    if (node.is("call_expression")) {
      const std::vector<Node> arguments = arguments_of(node);
      if (last_name(node.field("function")).ends_with("_cast") && arguments.size() == 1)
        return largest(arguments[0]);
      return std::nullopt;
    }
    if (!node.is("binary_expression")) return std::nullopt;
    const std::string op = node.field("operator").string();
    const auto a = largest(node.field("left"));
    const auto b = largest(node.field("right"));
    if (op == "%" && b && is_fixed(node.field("right"))) return *b - Polynomial(1);
    if (!a) return std::nullopt;
    const bool is_number = b && b->number().has_value();
    const double number = b ? b->number().value_or(0) : 0;
    if (op == "+" && b) return *a + *b;
    if (op == "*" && b) return *a * *b;
    if (op == "-") return is_number && is_fixed(node.field("right")) ? *a - Polynomial(number) : *a;
    if (op == "<<" && is_number && number >= 0 && number < kDeepest)
      return *a * Polynomial(std::ldexp(1.0, static_cast<int>(number)));
    if ((op == "/" || op == ">>") && is_number && is_fixed(node.field("right"))) {
      const double by = op == "/" ? number : std::ldexp(1.0, static_cast<int>(number));
      if (by < 1) return std::nullopt;
      // The largest is one less than a whole number of parts.
      const auto parts = (*a + Polynomial(1)).divided(by);
      if (parts) return *parts - Polynomial(1);
      const auto known = a->value();
      return known ? std::optional(Polynomial(std::floor(*known / by))) : std::nullopt;
    }
    return std::nullopt;
  }

  // Whether it has one value in all threads.
  [[nodiscard]] bool is_fixed(const Node& node) {
    bool fixed = true;
    walk(node, [&](const Node& at) {
      if (at.is("identifier") && !launch_.arguments.contains(at.string()) &&
          source_.macro(at.string()) == nullptr && !source_.variable(at.string()) &&
          at.text() != "blockDim" && at.text() != "gridDim")
        fixed = false;
      return fixed;
    });
    return fixed;
  }

  [[nodiscard]] std::optional<Polynomial> of_builtin(const Node& node) {
    const std::string of = node.field("argument").string();
    const std::string field = node.field("field").string();
    const std::size_t axis = field == "x" ? 0 : field == "y" ? 1 : 2;
    const bool is_block = of == "threadIdx" || of == "blockDim";
    const bool is_grid = of == "blockIdx" || of == "gridDim";
    if (!is_block && !is_grid) return std::nullopt;
    const auto extent = Polynomial::of(is_block ? launch_.block.at(axis) : launch_.grid.at(axis));
    if (!extent) return std::nullopt;
    return of.ends_with("Dim") ? *extent : *extent - Polynomial(1);
  }

  [[nodiscard]] std::optional<Polynomial> of_name(const Node& node) {
    const std::string name = node.string();
    const auto given = launch_.arguments.find(name);
    if (given != launch_.arguments.end()) return Polynomial::of(given->second);
    if (!in_progress_.insert(name).second) return std::nullopt;
    std::optional<Polynomial> found = guarded(name, node);
    if (!found) {
      Node initial;
      walk(kernel_.body, [&](const Node& at) {
        if (at.is("init_declarator") && declared_name(at).text() == name &&
            at.begin() < node.begin())
          initial = at.field("value");
        return true;
      });
      if (initial) found = largest(initial);
    }
    in_progress_.erase(name);
    if (!found && (source_.macro(name) != nullptr || source_.variable(name)))
      found = Polynomial::of(constants_.value(node, nullptr));
    return found;
  }

  // if (i < n) { ... }, if (i >= n) return; and for (int i = 0; i < n; ...).
  [[nodiscard]] std::optional<Polynomial> guarded(const std::string& name, const Node& use) {
    std::optional<Polynomial> found;
    walk(kernel_.body, [&](const Node& at) {
      if (found || !at.is("binary_expression")) return !found;
      const std::string op = at.field("operator").string();
      const bool is_inside = op == "<" || op == "<=";
      const bool leaves = op == ">=" || op == ">";
      if ((!is_inside && !leaves) || at.field("left").text() != name) return true;
      Node around = at.parent();
      while (around && !around.is("if_statement") && !around.is("for_statement") &&
             !around.is("while_statement") && !around.kind().ends_with("statement"))
        around = around.parent();
      const bool holds_use = around.contains(use) && (is_inside);
      const bool returns = leaves && around.is("if_statement") && around.begin() < use.begin() &&
                           around.text().find("return") != std::string_view::npos;
      if (!holds_use && !returns) return true;
      const auto limit = largest(at.field("right"));
      if (limit) found = op == "<" || op == ">=" ? *limit - Polynomial(1) : *limit;
      return !found;
    });
    return found;
  }

  const Source& source_;
  const Function& kernel_;
  const LaunchValues& launch_;
  HostValues constants_;
  std::set<std::string> in_progress_;
  int depth_ = 0;
  int seen_ = 0;
};

}  // namespace

std::map<std::string, Value> extents_of(const Source& source, const Function& kernel,
                                        const LaunchValues& launch) {
  return Bounds(source, kernel, launch).all();
}

}  // namespace autokernel::bridge
