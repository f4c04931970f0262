// Addresses of the device, and where they were allocated.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bridge/cuda_source/host_values.h"

namespace autokernel::bridge {
namespace {

// Of "&x", "(void**)&x", "x", "&x[0]" and "&s.x" the variable: "x", "s.x".
[[nodiscard]] std::string variable_in(const Node& node) {
  Node at = node;
  while (at) {
    if (at.is("identifier") || at.is("field_expression")) return at.string();
    if (at.is("cast_expression")) {
      at = at.field("value");
    } else if (at.is("pointer_expression") || at.is("subscript_expression")) {
      at = at.field("argument");
    } else if (at.is("call_expression")) {
      const std::vector<Node> arguments = arguments_of(at);
      if (arguments.size() != 1) return {};
      at = arguments[0];
    } else if (at.is("parenthesized_expression") && at.children().size() == 1) {
      at = at.children()[0];
    } else {
      return {};
    }
  }
  return {};
}

constexpr std::int64_t kFloat = 4;  // bytes

[[nodiscard]] bool allocates(const std::string& function) {
  return function.find("alloc") != std::string::npos || function.find("Alloc") != std::string::npos;
}

}  // namespace

Value HostValues::bytes_allocated(const std::string& name, const Node& body, const Frame* frame,
                                  Node& place) {
  Value bytes;
  const auto try_call = [&](const Node& call) {
    const std::string callee = last_name(call.field("function"));
    const std::vector<Node> arguments = arguments_of(call);
    if (arguments.empty()) return;
    const bool is_first = variable_in(arguments[0]) == name;
    const bool is_copied = callee.starts_with("cudaMemcpy") && arguments.size() >= 3 &&
                           (is_first || variable_in(arguments[1]) == name);
    const bool is_set = callee == "cudaMemset" && is_first && arguments.size() >= 3;
    if (is_first && arguments.size() >= 2 && allocates(callee) &&
        source_.functions_called(callee).empty()) {
      bytes = value(arguments[1], frame);
    } else if (is_copied || is_set) {
      bytes = value(arguments[2], frame);
    } else {
      for (std::size_t i = 0; i < arguments.size() && !bytes; ++i) {
        if (!arguments[i].is("pointer_expression") || variable_in(arguments[i]) != name) continue;
        for (const Function* const function : source_.functions_called(callee)) {
          if (i >= function->parameters.size() || function->is_kernel) continue;
          if (depth_ >= 8) return;
          ++depth_;
          bytes = bytes_allocated(function->parameters[i].name, function->body,
                                  make_frame(*function, frame, arguments, call.field("function")),
                                  place);
          --depth_;
        }
      }
    }
    if (bytes) place = call;
  };
  // Allocations first: a copy may be of a part.
  for (const bool is_allocation : {true, false}) {
    walk(body, [&](const Node& at) {
      if (bytes) return false;
      if (at.is("call_expression")) {
        const std::string callee = last_name(at.field("function"));
        const bool copies = callee.starts_with("cudaMem") && !allocates(callee);
        if (copies != is_allocation) try_call(at);
      }
      return true;
    });
    if (bytes) break;
  }
  return bytes;
}

std::optional<Pointer> HostValues::allocated(Pointer pointer, const Node& use, const Frame* frame) {
  pointer.place = use;
  Value bytes;
  if (frame != nullptr)
    bytes = bytes_allocated(pointer.name, frame->function->body, frame, pointer.place);
  // A variable of the whole file, or a member that another function fills in.
  for (const Function& function : source_.functions()) {
    if (bytes) break;
    if (frame != nullptr && &function == frame->function) continue;
    const bool is_shared = source_.variable(pointer.name).has_value() ||
                           pointer.name.find_first_of(".>") != std::string::npos;
    if (!is_shared || function.is_kernel) continue;
    bytes = bytes_allocated(pointer.name, function.body, frame_of(function.body), pointer.place);
  }
  pointer.bytes = bytes;
  return pointer;
}

Value HostValues::of_elements(Value count, const std::string& type, const Frame* frame) const {
  const std::int64_t bytes = bytes_of(type, frame);
  if (bytes == 0) return nullptr;
  return Expression::binary("*", std::move(count),
                            Expression::number(static_cast<double>(bytes), true));
}

void HostValues::set_extents(Pointer& tensor, std::vector<Value> extents) {
  tensor.is_tensor = true;
  tensor.type.clear();
  Value count = extents.empty() ? nullptr : Expression::number(1, true);
  for (const Value& extent : extents) count = Expression::binary("*", count, extent);
  tensor.bytes = count;
  tensor.extents = std::move(extents);
}

std::vector<Value> HostValues::extents_of_tensor(const Node& made, const Frame* frame) {
  if (!made.is("call_expression")) return {};
  static const std::set<std::string> kMakers = {"zeros",     "ones",      "empty",    "full",
                                                "new_zeros", "new_empty", "new_full", "rand",
                                                "randn",     "new_ones",  "reshape",  "view"};
  const std::string name = last_name(made.field("function"));
  const std::vector<Node> arguments = arguments_of(made);
  if (arguments.empty()) return {};
  if (name.ends_with("_like")) {
    const auto like = pointer(arguments[0], frame);
    return like && like->is_tensor ? like->extents : std::vector<Value>();
  }
  if (!kMakers.contains(name)) return {};
  std::vector<Value> extents;
  if (!arguments[0].is("initializer_list")) {
    if (Value count = value(arguments[0], frame)) extents.push_back(std::move(count));
    return extents;
  }
  for (const Node& extent : arguments[0].children()) {
    extents.push_back(value(extent, frame));
    if (!extents.back()) return {};
  }
  return extents;
}

std::vector<Value> HostValues::extents_of_parameter(const std::string& tensor, const Frame* frame) {
  int dimensions = 0;
  bool counts = false;
  walk(frame->function->body, [&](const Node& at) {
    if (!at.is("call_expression")) return true;
    const Node callee = at.field("function");
    if (!callee.is("field_expression") || callee.field("argument").text() != tensor) return true;
    const std::vector<Node> arguments = arguments_of(at);
    counts |= callee.field("field").text() == "numel";
    if (callee.field("field").text() != "size" || arguments.size() != 1) return true;
    const Value dimension = value(arguments[0], frame);
    const auto known = dimension ? dimension->number() : std::nullopt;
    constexpr double kMost = 8;
    if (known && *known >= 0 && *known < kMost)
      dimensions = std::max(dimensions, static_cast<int>(*known) + 1);
    return true;
  });
  std::vector<Value> extents;
  extents.reserve(static_cast<std::size_t>(dimensions) + 1);
  for (int i = 0; i < dimensions; ++i)
    extents.push_back(unknown(name_of_size(tensor, i, frame), frame->function->definition));
  if (dimensions == 0 && counts)
    extents.push_back(unknown(tensor + "_numel", frame->function->definition));
  return extents;
}

std::optional<Pointer> HostValues::pointer(const Node& node, const Frame* frame) {
  constexpr int kMostFollowed = 10'000;  // as of values
  if (!node || depth_ >= 64 || ++followed_ > kMostFollowed) return std::nullopt;
  ++depth_;
  struct Leave {
    int& depth;
    ~Leave() { --depth; }
  } leave{depth_};
  if (is_null(node)) return Pointer{};
  const std::vector<Node> children = node.children();
  if (node.is("parenthesized_expression") && children.size() == 1)
    return pointer(children[0], frame);
  if (node.is("cast_expression")) return pointer(node.field("value"), frame);
  if (node.is("conditional_expression")) return pointer(node.field("consequence"), frame);
  if (node.is("pointer_expression") || node.is("subscript_expression"))
    return pointer(node.field("argument"), frame);
  if (node.is("binary_expression")) {
    auto base = pointer(node.field("left"), frame);
    if (base) base->is_offset = true;
    return base;
  }
  if (node.is("call_expression")) {
    const Node callee = node.field("function");
    const std::string name = last_name(callee);
    if (callee.is("field_expression")) {
      auto of = pointer(callee.field("argument"), frame);
      const std::vector<Node> types = callee.field("field").field("arguments").children();
      if (of && !types.empty()) {
        of->type = type_at(type_of(types[0]), frame);
        // What was known so far is how many elements a tensor has.
        if (of->bytes && of->is_tensor) {
          const std::int64_t element = bytes_of(of->type, frame);
          of->bytes = Expression::binary(
              "*", of->bytes,
              Expression::number(static_cast<double>(element == 0 ? kFloat : element), true));
          of->is_tensor = false;
        }
      }
      return of;
    }
    const std::vector<Node> arguments = arguments_of(node);
    if (arguments.size() == 1 && (name.ends_with("_cast") || name.starts_with("move")))
      return pointer(arguments[0], frame);
    for (const Function* const function : source_.functions_called(name)) {
      std::string returned;
      walk(function->body, [&](const Node& at) {
        if (at.is("return_statement") && !at.children().empty())
          returned = variable_in(at.children()[0]);
        return true;
      });
      if (returned.empty()) continue;
      Pointer made{.name = name, .type = {}, .bytes = {}, .place = node};
      const Frame* const inner = make_frame(*function, frame, arguments, callee);
      const auto declared = origin(returned, function->body.children().back(), inner);
      if (declared && declared->declaration) made.type = type_of(declared->declaration);
      Node place = node;
      made.bytes = bytes_allocated(returned, function->body, inner, place);
      made.type = type_at(made.type, inner);
      return made;
    }
    return std::nullopt;
  }
  if (node.is("field_expression"))
    return allocated({.name = node.string(), .type = {}, .bytes = {}, .place = node}, node, frame);
  if (!node.is("identifier")) return std::nullopt;

  const auto from = origin(node.string(), node, frame);
  if (!from) {
    // A parameter of a function that nobody here calls.
    if (frame == nullptr) return std::nullopt;
    if (const KnownParameter* const given = known(node.string(), frame);
        given != nullptr && given->is_tensor) {
      Pointer found{.name = given->name, .type = {}, .bytes = {}, .place = node, .is_known = true};
      set_extents(found, given->extents);
      return found;
    }
    for (const Parameter& parameter : frame->function->parameters) {
      if (parameter.name != node.text()) continue;
      Pointer found{.name = parameter.name,
                    .type = type_at(parameter.type, frame),
                    .bytes = {},
                    .place = parameter.declaration};
      if (found.type.find("Tensor") != std::string::npos) {
        set_extents(found, extents_of_parameter(parameter.name, frame));
        found.is_parameter = true;
      }
      return found;
    }
    if (frame->function->is_macro && frame->caller != nullptr) return pointer(node, frame->caller);
    return std::nullopt;
  }
  if (!from->declaration)
    return from->frame == nullptr && frame != nullptr && !from->value
               ? std::nullopt
               : pointer(from->value, from->frame);
  Pointer found{
      .name = node.string(), .type = type_of(from->declaration), .bytes = {}, .place = node};
  found.type = type_at(found.type, frame);
  // thrust::device_vector<float> x(n)
  const Node type = from->declaration.field("type");
  if (type.text().find("vector") != std::string_view::npos) {
    Node instance = type;
    while (instance.is("qualified_identifier")) instance = instance.field("name");
    const std::vector<Node> types = instance.field("arguments").children();
    if (!types.empty()) found.type = type_at(type_of(types[0]), frame);
    const std::vector<Node> given = from->value.children();
    const Node first = from->value.is("argument_list") && !given.empty() ? given[0] : from->value;
    found.bytes = of_elements(value(first, from->frame), found.type, frame);
    if (!found.bytes) {
      const auto other = pointer(first, from->frame);
      if (other) found.bytes = other->bytes;
    }
    return found;
  }
  if (from->value && (from->declaration != Node())) {
    Node initial = from->value;
    while (initial.is("cast_expression")) initial = initial.field("value");
    if (auto extents = extents_of_tensor(initial, from->frame); !extents.empty()) {
      set_extents(found, std::move(extents));
      return found;
    }
    const bool is_pointer = pointers_of(from->declarator) > 0 || found.type == "auto" ||
                            found.type.find("Tensor") != std::string::npos;
    if (initial.is("new_expression")) {
      const std::vector<Node> extents = initial.field("declarator").children();
      if (!extents.empty())
        found.bytes = of_elements(value(extents[0], from->frame), found.type, frame);
      return found;
    }
    if (is_pointer && !initial.is("initializer_list")) {
      const std::string callee = last_name(initial.field("function"));
      if (initial.is("call_expression") && allocates(callee) &&
          source_.functions_called(callee).empty()) {
        // float* x = (float*)malloc(n * 4)
        const std::vector<Node> arguments = arguments_of(initial);
        found.bytes = arguments.empty() ? nullptr : value(arguments[0], from->frame);
        if (found.bytes) return found;
      } else if (auto other = pointer(initial, from->frame)) {
        if (!other->name.empty()) {
          if (found.type != "auto" && found.type != "void" && other->type.empty())
            other->type = found.type;
          return other;
        }
      }
    }
  }
  return allocated(std::move(found), node, frame);
}

}  // namespace autokernel::bridge
