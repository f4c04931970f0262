#include "bridge/cuda_source/host_statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace autokernel::bridge {
namespace {

// Functions of PyTorch, TVM-FFI, CUDA and C++ that change nothing: they ask, check, allocate or
// convert.
const std::set<std::string, std::less<>> kHarmless = {"size",
                                                      "numel",
                                                      "dim",
                                                      "ndim",
                                                      "sizes",
                                                      "shape",
                                                      "stride",
                                                      "strides",
                                                      "is_contiguous",
                                                      "IsContiguous",
                                                      "is_cuda",
                                                      "dtype",
                                                      "scalar_type",
                                                      "device",
                                                      "get_device",
                                                      "index",
                                                      "contiguous",
                                                      "data_ptr",
                                                      "data",
                                                      "const_data_ptr",
                                                      "mutable_data_ptr",
                                                      "options",
                                                      "empty",
                                                      "empty_like",
                                                      "zeros",
                                                      "zeros_like",
                                                      "new_zeros",
                                                      "TensorOptions",
                                                      "nbytes",
                                                      "element_size",
                                                      "itemsize",
                                                      "defined",
                                                      "type",
                                                      "getCurrentCUDAStream",
                                                      "stream",
                                                      "getCurrentDeviceProperties",
                                                      "TVMFFIEnvGetStream",
                                                      "CUDAGuard",
                                                      "OptionalCUDAGuard",
                                                      "device_of",
                                                      "cudaGetLastError",
                                                      "cudaPeekAtLastError",
                                                      "cudaGetErrorString",
                                                      "cudaFuncSetAttribute",
                                                      "cudaGetDevice",
                                                      "cudaSetDevice",
                                                      "cudaStreamSynchronize",
                                                      "cudaDeviceSynchronize",
                                                      "min",
                                                      "max",
                                                      "ceil",
                                                      "floor",
                                                      "sqrt",
                                                      "sqrtf",
                                                      "static_cast",
                                                      "reinterpret_cast",
                                                      "const_cast",
                                                      "dim3",
                                                      "make_tuple",
                                                      "tie",
                                                      "runtime_error",
                                                      "invalid_argument",
                                                      "string",
                                                      "to_string",
                                                      "c_str",
                                                      "fprintf",
                                                      "printf",
                                                      "abort",
                                                      "exit",
                                                      "int",
                                                      "float",
                                                      "double",
                                                      "unsigned",
                                                      "bool",
                                                      "size_t",
                                                      "int64_t",
                                                      "int32_t",
                                                      "uint32_t",
                                                      "tensor",
                                                      "code",
                                                      "bits",
                                                      "lanes",
                                                      "value"};

[[nodiscard]] bool is_check(std::string_view name) {
  return name.find("CHECK") != std::string_view::npos ||
         name.find("check") != std::string_view::npos || name.ends_with("_THROW") ||
         name == "AT_ERROR" || name == "assert" || name.starts_with("AT_DISPATCH");
}

class Statements {
 public:
  Statements(const Source& source, HostValues& values, const KernelLaunch& launch)
      : source_(source), values_(values), launch_(launch) {}

  [[nodiscard]] std::optional<std::string> first() {
    look_at_name();
    look_at_loops();
    for (const Frame* frame = launch_.frame; frame != nullptr; frame = frame->caller)
      look_at(*frame->function, frame);
    look_at_destructors();
    return found_;
  }

 private:
  void tell(const Node& place, const std::string& what) {
    if (!found_) {
      found_ = fmt::format("line {} of {} {}", place.line(),
                           place.syntax() != nullptr ? place.syntax()->file() : "it", what);
    }
  }

  // The kernel's name has to mean the kernel.
  void look_at_name() {
    const std::string& name = launch_.kernel->name;
    if (source_.macro(name) != nullptr)
      tell(launch_.place, fmt::format("launches {}, which is a macro", name));
    if (source_.functions_called(name).size() > 1)
      tell(launch_.place, fmt::format("launches {}, and there are several of that name", name));
    const auto local = values_.origin(name, launch_.place, launch_.frame);
    if (local && (local->declaration || local->value))
      tell(launch_.place, fmt::format("launches {}, which is a variable there", name));
  }

  void look_at_loops() {
    for (Node at = launch_.place.parent(); at; at = at.parent()) {
      const Node dispatch = at.is("lambda_expression") ? dispatch_around(at) : Node{};
      const bool is_called_once =
          dispatch && source_.macro(last_name(dispatch.field("function"))) == nullptr;
      if (at.is("for_statement") || at.is("while_statement") || at.is("do_statement") ||
          at.is("for_range_loop") || (at.is("lambda_expression") && !is_called_once)) {
        tell(at, "is a loop or a lambda around the launch");
      }
      const bool is_undecided =
          at.is("if_statement") && !values_.is_reached(launch_.place, launch_.frame);
      if (is_undecided) values_.assume(at, "the condition around the launch holds");
    }
  }

  void look_at(const Function& function, const Frame* frame) {
    if (!seen_.insert(&function).second) return;
    walk(function.body, [&](const Node& at) {
      if (found_) return false;
      if (at.is("call_expression")) look_at_call(at);
      if (at.is("assignment_expression") || at.is("update_expression")) look_at_change(at, frame);
      if (at.is("declaration")) look_at_declaration(at);
      if (at.is("goto_statement") || at.is("asm_statement") || at.is("gnu_asm_expression"))
        tell(at, "does what is not taken over");
      const bool is_before = at.syntax() == launch_.place.syntax() &&
                             at.begin() < launch_.place.begin() && frame == launch_.frame;
      if (at.is("return_statement") && is_before)
        values_.assume(at, "the launch is reached: the function does not return here");
      return !found_;
    });
  }

  void look_at_call(const Node& call) {
    const std::string name = last_name(call.field("function"));
    if (call.begin() == launch_.place.begin() && call.syntax() == launch_.place.syntax()) return;
    if (name == launch_.kernel->name) return;
    const Macro* const macro = source_.macro(name);
    // What the source itself calls so is what it does, whatever others mean by the name.
    const std::vector<const Function*> functions = source_.functions_called(name);
    if (macro != nullptr) {
      if (const auto calls = unknown_in_macro(*macro, 0))
        tell(call, fmt::format("calls the macro {}, and so {}", name, *calls));
      return;
    }
    if (functions.empty() && !kHarmless.contains(name) && !is_check(name))
      tell(call, fmt::format("calls {}(), which is not taken over", name));
    for (const Function* const function : functions) {
      if (function->is_kernel) tell(call, fmt::format("calls {}()", name));
      const bool leads_to_launch = leads(function);
      for (const Parameter& parameter : function->parameters) {
        const std::string_view text = parameter.declaration.text();
        const bool is_changed = text.find('&') != std::string_view::npos &&
                                text.find("const") == std::string_view::npos &&
                                text.find("Tensor") == std::string_view::npos;
        if (is_changed && !leads_to_launch)
          tell(call, fmt::format("calls {}(), which may change {}", name, parameter.name));
      }
      look_at(*function, nullptr);
    }
  }

  // What it does besides checking and declaring.
  [[nodiscard]] std::optional<std::string> unknown_in_macro(const Macro& macro, int depth) const {
    static const std::set<std::string, std::less<>> kWords = {"if",  "while",  "do",
                                                              "for", "sizeof", "return"};
    constexpr int kDeepestMacro = 8;
    if (depth > kDeepestMacro) return "others, and so on";
    const std::string_view text = macro.definition.text();
    if (text.find("<<<") != std::string_view::npos) return "launches";
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    const std::size_t name_end = text.find('(');
    for (std::size_t at = name_end; at < text.size(); ++at) {
      const char next = at + 1 < text.size() ? text[at + 1] : ' ';
      const char before = at > 0 ? text[at - 1] : ' ';
      const bool is_change = (text[at] == '=' && next != '=' && before != '=' && before != '!' &&
                              before != '<' && before != '>') ||
                             (text[at] == '+' && next == '+') || (text[at] == '-' && next == '-');
      // cudaError_t error = ...
      if (is_change && text.substr(0, at).find("cudaError_t") == std::string_view::npos &&
          text.substr(0, at).find("auto") == std::string_view::npos)
        return "changes something";
      if (text[at] != '(' || at == name_end) continue;
      std::size_t begin = at;
      while (begin > 0 && is_word(text[begin - 1])) --begin;
      const std::string called(text.substr(begin, at - begin));
      if (called.empty() || kWords.contains(called)) continue;
      if (const Macro* const other = source_.macro(called); other != nullptr && other != &macro) {
        if (auto more = unknown_in_macro(*other, depth + 1)) return more;
        continue;
      }
      if (!source_.functions_called(called).empty() ||
          (!kHarmless.contains(called) && !is_check(called)))
        return called + "()";
    }
    return std::nullopt;
  }

  [[nodiscard]] bool leads(const Function* function) const {
    for (const Frame* frame = launch_.frame; frame != nullptr; frame = frame->caller)
      if (frame->function == function) return true;
    return false;
  }

  void look_at_change(const Node& change, const Frame* frame) {
    const bool is_assignment = change.is("assignment_expression");
    const Node left = change.field(is_assignment ? "left" : "argument");
    if (left.is("pointer_expression") || left.is("call_expression") ||
        left.is("parenthesized_expression"))
      tell(change, "changes what a pointer leads to");
    if (left.is("subscript_expression") && frame != nullptr) {
      const auto of = values_.pointer(left.field("argument"), frame);
      if (of && of->is_tensor) tell(change, fmt::format("changes {}", left.text()));
    }
    if (!left.is("identifier") || frame == nullptr) return;
    const auto local = values_.origin(left.string(), left, frame);
    const bool is_of_file =
        !local || (local->declaration && source_.function_around(local->declaration) == nullptr);
    if (is_of_file && source_.variable(left.string()))
      tell(change, fmt::format("changes {}, a variable of the file", left.text()));
    const auto tensor = values_.pointer(left, frame);
    if (tensor && tensor->is_tensor) tell(change, fmt::format("changes {}", left.text()));
  }

  void look_at_declaration(const Node& declaration) {
    const std::string_view text = declaration.text();
    // "Finish finish(x);" may do anything in its constructor.
    if (const Node type = source_.struct_called(type_of(declaration))) {
      walk(type, [&](const Node& at) {
        const bool is_constructor = at.is("function_definition") && !at.field("type");
        if (is_constructor) tell(declaration, "makes what has a constructor");
        return !found_;
      });
    }
    if (text.starts_with("static ") && text.find("constexpr") == std::string_view::npos &&
        text.find("const ") == std::string_view::npos)
      tell(declaration, "has a static variable");
    for (const Node& each : declaration.fields("declarator")) {
      const Node value = each.field("value");
      if (value.is("identifier") && value.text().starts_with("cuda"))
        tell(declaration, fmt::format("hides {} in a variable", value.text()));
      // Of tensors: z = x + y.
      const bool is_number = type_of(declaration).find("Tensor") == std::string::npos;
      if (!is_number && (value.is("binary_expression") || value.is("unary_expression")))
        tell(declaration, "computes with tensors");
    }
  }

  void look_at_destructors() {
    for (const Node& root : source_.roots()) {
      walk(root, [&](const Node& at) {
        if (at.is("destructor_name")) tell(at, "is a destructor");
        return !found_;
      });
    }
  }

  const Source& source_;
  HostValues& values_;
  const KernelLaunch& launch_;
  std::set<const Function*> seen_;
  std::optional<std::string> found_;
};

}  // namespace

std::optional<std::string> more_than_a_launch(const Source& source, HostValues& values,
                                              const KernelLaunch& launch) {
  return Statements(source, values, launch).first();
}

}  // namespace autokernel::bridge
