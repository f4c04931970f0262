#include "bridge/cuda_source/imported_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <utility>

#include "autokernel/base/visible_text.h"
#include "bridge/case_toml.h"
#include "bridge/cuda_source/adapter.h"
#include "bridge/cuda_source/case_text.h"
#include "bridge/cuda_source/device_text.h"
#include "bridge/cuda_source/element_types.h"
#include "bridge/cuda_source/index_bounds.h"
#include "bridge/cuda_source/kernel_use.h"

namespace autokernel::bridge {
namespace {

// What comments, TOML and Markdown take as it is.
[[nodiscard]] std::string plain_name(const std::string& file) {
  std::string plain;
  for (const char c : file) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' ||
                          c == '-' || c == '_' || c == '+' || c == '/' || c == ' ';
    plain += is_plain ? c : '_';
  }
  return plain;
}

// Of what stands in the source: no lines or links of its own.
[[nodiscard]] std::string one_line(const std::string& text) {
  constexpr std::size_t kMost = 200;
  std::string line = visible_line(text.substr(0, kMost));
  for (char& c : line)
    if (c == '\n' || c == '[' || c == ']' || c == '<' || c == '>' || c == '`')
      c = c == '\n' ? ' ' : '\'';
  return line;
}

// Where a case cannot be made.
struct Impossible {
  std::string reason;
};

class Importer {
 public:
  Importer(const Source& source, HostValues& values, const KernelLaunch& launch)
      : source_(source), values_(values), launch_(launch), kernel_(*launch.kernel) {}

  [[nodiscard]] ImportedCase made() {
    add_parameters();
    if (text_.tensors.empty()) throw Impossible{"none of its parameters is a pointer"};
    if (std::ranges::none_of(text_.tensors,
                             [](const CaseTensor& each) { return each.is_written(); })) {
      assume(kernel_.definition, "whatever is not const is both read and written");
      for (CaseTensor& tensor : text_.tensors) {
        if (!tensor.is_const) tensor.role = "inout";
      }
    }
    ImportedCase imported;
    imported.kernel = kernel_.name;
    imported.line = launch_.place.line();
    const std::string kernel = kernel_text(imported);
    text_.kernel = kernel_.name;
    text_.file = source_.main().file();
    text_.line = launch_.place.line();
    imported.files["kernel.cu"] = kernel;
    imported.files["reference.cu"] = kernel;
    imported.files["case.toml"] = case_text(text_, imported.blanks, assumptions_);
    imported.assumptions = all_assumptions();
    imported.files["IMPORT.md"] = report(imported);
    return imported;
  }

  // For a case that is there, with the operands of a call from outside.
  [[nodiscard]] CalledKernel made_for(const HostCall& call,
                                      const std::map<std::string, std::string>& locals) {
    call_ = &call;
    locals_ = &locals;
    add_parameters();
    require_zeros();
    ImportedCase imported;
    std::string text = kernel_text(imported);
    if (!imported.blanks.empty()) {
      std::string blank = imported.blanks.front().text;
      const std::string mark = " = FILL_IN";
      if (const std::size_t at = blank.find(mark); at != std::string::npos)
        blank.erase(at, mark.size());
      throw Impossible{blank + ", nor in sizes of the case"};
    }
    return {.text = std::move(text), .assumptions = all_assumptions()};
  }

 private:
  void add_parameters() {
    find_symbols();
    find_instance();
    uses_ = uses_of(source_, kernel_);
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
      const Parameter& parameter = kernel_.parameters[i];
      const Node by_default = parameter.declaration.field("default_value");
      add(parameter, i < launch_.arguments.size() ? launch_.arguments[i] : by_default);
    }
  }

  [[nodiscard]] std::vector<Note> all_assumptions() const {
    std::vector<Note> all = source_.assumptions();
    all.insert(all.end(), values_.assumptions().begin(), values_.assumptions().end());
    all.insert(all.end(), assumptions_.begin(), assumptions_.end());
    return all;
  }

  void assume(const Node& place, std::string text) {
    assumptions_.push_back(
        {.file = place.syntax()->file(), .line = place.line(), .text = std::move(text)});
  }

  // What the kernel's template parameters are.
  void find_instance() {
    for (std::size_t i = 0; i < kernel_.template_parameters.size(); ++i) {
      const std::string& name = kernel_.template_parameters[i];
      Node given = i < launch_.template_arguments.size() ? launch_.template_arguments[i]
                                                         : kernel_.template_defaults[i];
      if (kernel_.template_is_type[i]) {
        types_[name] = given ? type_argument(given) : deduced(name);
        instance_.push_back(types_[name]);
        continue;
      }
      const Value value = given ? values_.value(given, launch_.frame) : nullptr;
      if (value) {
        need(value);
        instance_.push_back(value->cpp());
      } else if (given) {
        instance_.push_back(given.string());
        for (const std::string& word : names_in(given)) names_.insert(word);
      } else {
        throw Impossible{fmt::format("its template parameter {} is not given at the launch", name)};
      }
    }
  }

  [[nodiscard]] std::string type_argument(const Node& given) {
    std::string written = given.is("type_descriptor") ? type_of(given) : given.string();
    std::string type = values_.type_at(written, launch_.frame);
    if (element_type(source_, type)) return type;
    if (const auto dispatched = written == "scalar_t" ? dispatched_type() : std::nullopt)
      return *dispatched;
    if (source_.struct_called(last_name(given.field("type") ? given.field("type") : given))) {
      names_.insert(type);
      return type;
    }
    assume(given, fmt::format("{} is float", written));
    return "float";
  }

  // What scalar_t is, of a tensor of the call.
  [[nodiscard]] std::optional<std::string> dispatched_type() {
    const Node dispatch = dispatch_around(launch_.place);
    const std::vector<Node> arguments = dispatch ? arguments_of(dispatch) : std::vector<Node>();
    if (call_ == nullptr || arguments.empty()) return std::nullopt;
    const Node of = arguments.front().field("function").field("argument");
    const auto tensor = of ? values_.pointer(of, launch_.frame) : std::nullopt;
    if (!tensor) return std::nullopt;
    const auto given = std::ranges::find(call_->parameters, tensor->name, &HostCall::Operand::name);
    if (given == call_->parameters.end()) return std::nullopt;
    return cpp_of_dtype(given->dtype);
  }

  [[nodiscard]] std::string deduced(const std::string& name) {
    for (std::size_t i = 0; i < kernel_.parameters.size() && i < launch_.arguments.size(); ++i) {
      const Parameter& parameter = kernel_.parameters[i];
      if (parameter.type != name || parameter.pointers == 0) continue;
      const auto from = values_.pointer(launch_.arguments[i], launch_.frame);
      if (from && !from->type.empty() && element_type(source_, from->type)) return from->type;
    }
    assume(launch_.place, fmt::format("the template parameter {} is float", name));
    return "float";
  }

  [[nodiscard]] std::string resolved(const std::string& type) const {
    const auto given = types_.find(type);
    return source_.resolved_type(given == types_.end() ? type : given->second);
  }

  // Symbols of a value become sizes or constants.
  void need(const Value& value) { value->collect(needed_); }

  // No tensor or scalar may be called like one of these.
  void find_symbols() {
    std::map<std::string, Symbol> symbols;
    const auto add_those_of = [&](const Value& value) {
      if (value) value->collect(symbols);
    };
    for (std::size_t i = 0; i < kernel_.parameters.size() && i < launch_.arguments.size(); ++i) {
      const Node& argument = launch_.arguments[i];
      if (kernel_.parameters[i].pointers == 0) {
        add_those_of(values_.value(argument, launch_.frame));
      } else if (const auto from = values_.pointer(argument, launch_.frame)) {
        add_those_of(from->bytes);
      }
    }
    for (const Value& extent : launch_.grid) add_those_of(extent);
    for (const Value& extent : launch_.block) add_those_of(extent);
    add_those_of(launch_.shared_bytes);
    for (const auto& [name, symbol] : symbols) symbols_.insert(name);
  }

  [[nodiscard]] std::string unique(const std::string& name) const {
    // An identifier of C++ may have other letters than one of a case.
    std::string chosen = name.empty() ? "x" : name;
    for (char& c : chosen)
      if (!is_usable(std::string("x") + c)) c = '_';
    if (!is_usable(chosen)) chosen.insert(0, "x_");
    const auto is_taken = [&] {
      return std::ranges::any_of(text_.tensors,
                                 [&](const CaseTensor& each) { return each.name == chosen; }) ||
             std::ranges::any_of(text_.scalars,
                                 [&](const CaseScalar& each) { return each.name == chosen; });
    };
    while (is_taken() || symbols_.contains(chosen)) chosen += "_";
    return chosen;
  }

  void add(const Parameter& parameter, const Node& argument) {
    const std::string type = resolved(parameter.type);
    if (call_ != nullptr) {
      add_of_call(parameter, argument, type);
    } else if (parameter.pointers > 0) {
      const std::string name = add_pointer(parameter, argument, launch_.frame);
      adapter_.add(pointer_text(parameter), name);
    } else if (is_accessor(type)) {
      add_accessor(parameter, argument);
    } else if (source_.struct_called(type)) {
      add_struct(parameter, argument, type);
    } else {
      const std::string name = add_scalar(parameter, argument, launch_.frame);
      adapter_.add(type, name);
    }
  }

  [[nodiscard]] std::string line_of(const Node& node) const {
    const Node place = node ? node : launch_.place;
    return fmt::format("line {} of {}", place.line(), place.syntax()->file());
  }

  // A tensor or scalar of the call, or a value that is written down.
  void add_of_call(const Parameter& parameter, const Node& argument, const std::string& type) {
    if (parameter.pointers > 0) {
      add_tensor_of_call(parameter, argument);
      return;
    }
    const auto element = element_type(source_, type);
    if (!element || element->count != 1)
      throw Impossible{fmt::format("its parameter {} is a {}, handed over by value", parameter.name,
                                   parameter.type)};
    if (const auto name = values_.known_number(argument, launch_.frame)) {
      const auto scalar = std::ranges::find(call_->parameters, *name, &HostCall::Operand::name);
      text_.arguments.push_back(*name);
      if (scalar->dtype == element->dtype) {
        adapter_.add(type, *name);
      } else {
        adapter_.add_part(cpp_of_dtype(scalar->dtype), *name);
        adapter_.add_made("", *name);
      }
      return;
    }
    const Value value = argument ? values_.value(argument, launch_.frame) : nullptr;
    if (!value)
      throw Impossible{fmt::format("{}: the value of its parameter {} is not told",
                                   line_of(argument), parameter.name)};
    need(value);
    const Symbol* const symbol = value->as_symbol();
    constexpr std::int64_t kInt = 4;
    const bool is_int = element->bytes == kInt && element->dtype[0] == 'i';
    if (symbol != nullptr && is_int && call_->sizes.contains(symbol->name)) {
      text_.arguments.push_back(symbol->name);
      adapter_.add(type, symbol->name + "_");
    } else {
      adapter_.add_made("", fmt::format("static_cast<{}>({})", type, value->cpp()));
    }
  }

  void add_tensor_of_call(const Parameter& parameter, const Node& argument) {
    const auto from = argument ? values_.pointer(argument, launch_.frame) : std::nullopt;
    if (from && from->name.empty()) {
      adapter_.add_made("", "nullptr");
      return;
    }
    const std::string name = from ? tensor_of_call(*from) : "";
    if (!from || name.empty())
      throw Impossible{fmt::format("{}: which tensor its parameter {} is cannot be told",
                                   line_of(argument), parameter.name)};
    if (from->is_offset)
      throw Impossible{fmt::format("{}: its parameter {} begins in the middle of {}",
                                   line_of(argument), parameter.name, name)};
    if (std::ranges::find(text_.arguments, name) != text_.arguments.end())
      throw Impossible{fmt::format("{}: it is given {} twice", line_of(argument), name)};
    text_.arguments.push_back(name);
    adapter_.add(pointer_text(parameter), name);
    if (!from->is_known) add_zeros(parameter, argument, from->name, name);
  }

  // What torch::zeros() makes is written by a kernel of ours, launched before.
  void add_zeros(const Parameter& parameter, const Node& argument, const std::string& variable,
                 const std::string& name) {
    walk(launch_.frame->function->body, [&](const Node& at) {
      const Node made = at.is("init_declarator") ? at.field("value") : Node{};
      if (!made || !made.is("call_expression") || at.field("declarator").text() != variable ||
          !zero_makers().contains(last_name(made.field("function"))))
        return true;
      Node of = argument;  // out.data_ptr<float>()
      while (of.is("call_expression") && of.field("function").is("field_expression"))
        of = of.field("function").field("argument");
      const auto tensor = values_.pointer(of, launch_.frame);
      if (!tensor || !tensor->is_tensor || !tensor->bytes)
        throw Impossible{fmt::format("{}: how many zeros it writes is not told", line_of(made))};
      need(tensor->bytes);
      zeros_.push_back({.tensor = name, .type = resolved(parameter.type), .count = tensor->bytes});
      return false;
    });
  }

  // That a kernel of ours writes all that the host would.
  void require_zeros() const {
    std::size_t count = 0;
    Node last;
    for (const Frame* frame = launch_.frame; frame != nullptr; frame = frame->caller) {
      walk(frame->function->body, [&](const Node& at) {
        if (at.is("call_expression") && zero_makers().contains(last_name(at.field("function")))) {
          ++count;
          last = at;
        }
        return true;
      });
    }
    if (count == zeros_.size()) return;
    throw Impossible{
        fmt::format("{}: which tensor of the case the zeros are for cannot be told: "
                    "make them where the output is declared, beside the launch",
                    line_of(last))};
  }

  [[nodiscard]] static const std::set<std::string>& zero_makers() {
    static const std::set<std::string> makers = {"zeros", "zeros_like", "new_zeros"};
    return makers;
  }

  // Empty: it is none of the call's.
  [[nodiscard]] std::string tensor_of_call(const Pointer& from) const {
    if (from.is_known) return from.name;
    const auto local = locals_->find(from.name);
    return local == locals_->end() ? "" : local->second;
  }

  [[nodiscard]] static std::string cpp_of_dtype(const std::string& dtype) {
    static const std::map<std::string, std::string> known = {
        {"f64", "double"},    {"f32", "float"},        {"f16", "__half"}, {"bf16", "__nv_bfloat16"},
        {"i64", "long long"}, {"i32", "int"},          {"i16", "short"},  {"i8", "signed char"},
        {"u32", "unsigned"},  {"u8", "unsigned char"}, {"bool", "bool"}};
    const auto found = known.find(dtype);
    if (found == known.end()) throw Impossible{fmt::format("a scalar is {}", dtype)};
    return found->second;
  }

  [[nodiscard]] std::string pointer_text(const Parameter& parameter) const {
    return (parameter.is_const ? "const " : "") + resolved(parameter.type) + "*";
  }

  void add_accessor(const Parameter& parameter, const Node& argument) {
    const Node type = parameter.declaration.field("type");
    Node instance = type;
    while (instance.is("qualified_identifier")) instance = instance.field("name");
    const std::vector<Node> given = instance.field("arguments").children();
    const Value rank = given.size() > 1 ? values_.value(given[1], launch_.frame) : nullptr;
    const auto dimensions = rank ? rank->number() : std::nullopt;
    constexpr double kMost = 8;
    if (!dimensions || *dimensions < 1 || *dimensions > kMost)
      throw Impossible{fmt::format("its parameter {} is an accessor of a rank that is not told",
                                   parameter.name)};
    const std::string element = resolved(type_of(given[0]));
    Parameter pointer = parameter;
    pointer.type = element_type(source_, element) ? element : "float";
    pointer.pointers = 1;
    auto from = argument ? values_.pointer(argument, launch_.frame) : std::nullopt;
    std::vector<Value> extents = from ? from->extents : std::vector<Value>();
    if (extents.size() != static_cast<std::size_t>(*dimensions)) {
      extents.clear();
      for (int i = 0; i < static_cast<int>(*dimensions); ++i) {
        extents.push_back(Expression::symbol({.name = fmt::format("{}_size{}", parameter.name, i),
                                              .value = std::nullopt,
                                              .is_whole = true,
                                              .file = launch_.place.syntax()->file(),
                                              .line = launch_.place.line()}));
      }
    }
    Value count = Expression::number(1, true);
    std::vector<std::string> texts;
    for (const Value& extent : extents) {
      count = Expression::binary("*", count, extent);
      texts.push_back(extent->cpp());
    }
    const std::string name = add_pointer(pointer, argument, launch_.frame, count);
    adapter_.add_part(pointer.type + "*", name);
    std::string text = parameter.type;
    for (const auto& [from_name, to] : types_) {
      const std::size_t at = text.find("<" + from_name);
      if (at != std::string::npos) text.replace(at + 1, from_name.size(), to);
    }
    adapter_.add_accessor(text, name, texts);
  }

  [[nodiscard]] bool is_size(const std::string& name) const {
    return text_.sizes_handed_over.contains(name) ||
           std::ranges::any_of(text_.derived, [&](const auto& each) { return each.first == name; });
  }

  // Its members by themselves.
  void add_struct(const Parameter& parameter, const Node& argument, const std::string& type) {
    std::string lines = fmt::format("  {} {}{{}};\n", type, parameter.name);
    names_.insert(type);
    for (const Node& field : source_.struct_called(type).field("body").children()) {
      if (!field.is("field_declaration")) continue;
      for (const Node& declarator : field.fields("declarator")) {
        Parameter member;
        member.name = parameter.name + "_" + declared_name(declarator).string();
        member.type = type_of(field);
        member.pointers = pointers_of(declarator);
        member.is_const = field.text().starts_with("const ");
        member.declaration = field;
        const std::string of = declared_name(declarator).string();
        if (declarator.is("function_declarator")) continue;
        if (declarator.is("array_declarator"))
          throw Impossible{fmt::format("its parameter {} has the array {}", parameter.name, of)};
        const auto from = values_.member_of(argument, of, launch_.frame);
        const Node value = from ? from->value : Node();
        const Frame* const frame = from ? from->frame : launch_.frame;
        if (member.pointers > 0) uses_[member.name] = {.is_read = true, .is_written = true};
        if (member.pointers > 0) {
          adapter_.add_part(pointer_text(member), add_pointer(member, value, frame));
        } else {
          add_scalar(member, value, frame);
        }
        std::string given = text_.arguments.back();
        if (is_size(given)) {
          text_.arguments.pop_back();  // a constant of the file
        } else if (member.pointers == 0) {
          adapter_.add_part(resolved(member.type), given);
        }
        lines += fmt::format("  {}.{} = {};\n", parameter.name, of, given);
      }
    }
    adapter_.add_made(lines, parameter.name);
  }

  // The name of the case's tensor or scalar; so of the functions below.
  std::string add_pointer(const Parameter& parameter, const Node& argument, const Frame* frame,
                          const Value& count = nullptr) {
    int pointers = parameter.pointers;
    const auto given = types_.find(parameter.type);
    const std::string type =
        source_.resolved_type(given == types_.end() ? parameter.type : given->second, &pointers);
    if (pointers > 1) {
      throw Impossible{
          fmt::format("its parameter {} is a pointer to pointers: a case hands over "
                      "tensors; give it one array with an offset for each",
                      parameter.name)};
    }
    const auto from = argument ? values_.pointer(argument, frame) : std::nullopt;
    if (from && from->name.empty()) {
      text_.scalars.push_back({.name = unique(parameter.name), .dtype = "i64", .value = "0"});
      text_.arguments.push_back(text_.scalars.back().name);
      assume(argument, fmt::format("{} is a null pointer", parameter.name));
      return text_.scalars.back().name;
    }
    std::string used = type;
    if (type == "void" && from && !from->type.empty()) used = from->type;
    const auto element = element_type(source_, used);
    if (!element) {
      throw Impossible{
          fmt::format("its parameter {} points to {}, which is no type of a tensor: "
                      "hand it over as its members",
                      parameter.name, parameter.type)};
    }
    CaseTensor tensor;
    tensor.name = unique(parameter.name);
    tensor.dtype = element->dtype;
    const ParameterUse use = uses_[parameter.name];
    tensor.role = !use.is_written ? "in" : use.is_read ? "inout" : "out";
    tensor.is_index = use.is_index;
    tensor.line = (from ? from->place : argument ? argument : parameter.declaration).line();
    tensor.is_const = parameter.is_const;
    tensor.count = count;
    if (!count && from && from->is_tensor) tensor.count = from->bytes;
    if (!count && from && from->bytes && !from->is_tensor) {
      tensor.count = Expression::divided(from->bytes, element->bytes);
      if (!tensor.count) {
        tensor.count = Expression::binary(
            "/", from->bytes, Expression::number(static_cast<double>(element->bytes), true));
      }
    }
    if (from && from->is_offset && tensor.count)
      assume(argument, fmt::format("{} begins at the beginning of {}", parameter.name, from->name));
    // Not every extent of a tensor has to be asked for.
    const bool may_have_more = from && from->is_parameter && !count;
    if (!tensor.count || may_have_more) {
      const Value reached = from_use(parameter.name, element->count);
      if (reached) {
        tensor.count = reached;
        assume(parameter.declaration,
               fmt::format("the number of elements of {} is {}, as its indices show",
                           parameter.name, tensor.count->cpp()));
      }
    }
    if (tensor.count) need(tensor.count);
    text_.arguments.push_back(tensor.name);
    text_.tensors.push_back(std::move(tensor));
    return text_.tensors.back().name;
  }

  // How many elements the kernel's indices reach.
  [[nodiscard]] Value from_use(const std::string& parameter, std::int64_t in_each) {
    if (!extents_) {
      LaunchValues given{.grid = launch_.grid, .block = launch_.block, .arguments = {}};
      for (std::size_t i = 0; i < kernel_.parameters.size() && i < launch_.arguments.size(); ++i) {
        if (kernel_.parameters[i].pointers == 0)
          given.arguments[kernel_.parameters[i].name] =
              values_.value(launch_.arguments[i], launch_.frame);
      }
      for (std::size_t i = 0; i < kernel_.template_parameters.size(); ++i) {
        if (i < launch_.template_arguments.size() && !kernel_.template_is_type[i])
          given.arguments[kernel_.template_parameters[i]] =
              values_.value(launch_.template_arguments[i], launch_.frame);
      }
      extents_ = extents_of(source_, kernel_, given);
    }
    const auto found = extents_->find(parameter);
    if (found == extents_->end()) return nullptr;
    return Expression::binary("*", found->second,
                              Expression::number(static_cast<double>(in_each), true));
  }

  std::string add_scalar(const Parameter& parameter, const Node& argument, const Frame* frame) {
    const std::string type = resolved(parameter.type);
    const auto element = element_type(source_, type);
    if (!element || element->count != 1) {
      throw Impossible{
          fmt::format("its parameter {} is a {}, handed over by value: hand over its "
                      "members",
                      parameter.name, parameter.type)};
    }
    Value value = argument ? values_.value(argument, frame) : nullptr;
    const bool is_whole = element->dtype[0] == 'i' || element->dtype[0] == 'u';
    // What is not known is drawn, or is a size.
    if (!is_whole && value && !value->value()) value = nullptr;
    // A size is handed over as it is, where it has the parameter's width.
    constexpr std::int64_t kInt = 4;
    const Symbol* const symbol = value ? value->as_symbol() : nullptr;
    if (symbol != nullptr && is_whole && element->bytes == kInt) {
      need(value);
      text_.sizes_handed_over.insert(symbol->name);
      text_.arguments.push_back(symbol->name);
      return parameter.name;
    }
    if (value && is_whole && element->bytes == kInt && !value->number() && !value->formula()) {
      // What no formula says is a size of its own.
      need(value);
      const std::string name = unique(parameter.name);
      symbols_.insert(name);
      text_.derived.emplace_back(name, value);
      text_.arguments.push_back(name);
      return parameter.name;
    }
    CaseScalar scalar{.name = unique(parameter.name), .dtype = element->dtype, .value = {}};
    if (value) {
      const auto formula = value->formula();
      const auto known = value->value();
      if (formula && !value->number()) {
        need(value);
        value->collect(text_.in_formulas);
        scalar.value = fmt::format("\"{}\"", *formula);
      } else if (known) {
        scalar.value = scalar_text(*known, element->dtype);
        if (!value->number())
          assume(argument, fmt::format("{} is {} at every size", parameter.name, scalar.value));
      }
    }
    const Node place = argument ? argument : launch_.place;
    if (scalar.value.empty() && !is_whole && element->dtype != "bool") {
      assume(place, fmt::format("{} is any number from 0.5 to 2", parameter.name));
      scalar.is_drawn = true;
    } else if (scalar.value.empty() && is_whole && element->bytes == kInt) {
      // A size whose value the text does not tell.
      const std::string name = unique(parameter.name);
      need(Expression::symbol({.name = name,
                               .value = std::nullopt,
                               .is_whole = true,
                               .file = place.syntax()->file(),
                               .line = place.line()}));
      symbols_.insert(name);
      text_.sizes_handed_over.insert(name);
      text_.arguments.push_back(name);
      return parameter.name;
    } else if (scalar.value.empty()) {
      scalar.line = place.line();
    }
    text_.arguments.push_back(scalar.name);
    text_.scalars.push_back(std::move(scalar));
    return text_.scalars.back().name;
  }

  [[nodiscard]] static std::string scalar_text(double value, const std::string& dtype) {
    if (dtype == "bool") return value != 0 ? "1" : "0";
    if (dtype[0] == 'f' || dtype[0] == 'b') return floating_text(value);
    return fmt::format("{}", static_cast<std::int64_t>(value));
  }

  // Constants that the case gives a kernel.
  [[nodiscard]] std::set<std::string> given_names() {
    std::set<std::string> given;
    if (call_ != nullptr) {
      for (const auto& [name, value] : call_->sizes) given.insert(name);
      for (const auto& [name, symbol] : needed_) {
        if (!symbol.value && !given.contains(name))
          throw Impossible{fmt::format("line {} of {}: the value of {} is not told", symbol.line,
                                       symbol.file, name)};
      }
      return given;
    }
    text_.set_sizes(needed_, {launch_.grid, launch_.block});
    for (const auto& [name, symbol] : text_.sizes) given.insert(name);
    for (const auto& [name, value] : text_.derived) given.insert(name);
    return given;
  }

  [[nodiscard]] std::string kernel_text(ImportedCase& imported) {
    std::vector<std::pair<std::string, std::array<Value, 3>>> extents = {{".grid", launch_.grid},
                                                                         {".block", launch_.block}};
    if (launch_.cluster[0]) extents.emplace_back(".cluster", launch_.cluster);
    for (const auto& [field, values] : extents)
      for (const Value& value : values)
        if (value) need(value);
    if (launch_.shared_bytes) need(launch_.shared_bytes);
    const std::set<std::string> given = given_names();
    std::set<std::string> names = names_;
    for (const std::string& argument : instance_)
      for (const std::string& word : names_in(argument)) names.insert(word);
    for (const auto& [name, symbol] : needed_) names.insert(name);
    DeviceText device = device_text(source_, kernel_, names, given, adapter_.is_needed());
    imported.left_out = std::move(device.left_out);
    for (const char* const copies :
         {"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync", "cudaGetSymbolAddress"}) {
      for (const Node& call : source_.calls_of(copies)) {
        for (const std::string& word : names_in(call.field("arguments"))) {
          if (!device.declared.contains(word) || !source_.variable(word)) continue;
          assume(call,
                 fmt::format("{} has the values that it begins with: what the host gives it "
                             "there is not in kernel.cu; write it there, or hand it over as a "
                             "tensor",
                             word));
        }
      }
    }

    std::string text = fmt::format(
        "// {} of {}, as it was imported: what the device needs, and its launch in line {}.{}\n",
        kernel_.name, launch_.place.syntax()->file(), launch_.place.line(),
        call_ != nullptr ? ""
                         : " What was left\n// out, and what was taken for granted, is in "
                           "IMPORT.md.");
    text += device.includes + missing_includes(device.includes) + "#include <autokernel.cuh>\n\n";
    std::string constants;
    for (const auto& [name, symbol] : needed_) {
      if (given.contains(name) || device.declared.contains(name) || !symbol.value) continue;
      constants += fmt::format("constexpr int {} = {};  // {}:{}\n", name,
                               static_cast<std::int64_t>(*symbol.value), symbol.file, symbol.line);
    }
    if (!constants.empty()) text += constants + "\n";
    text += adapter_.before() + device.text;
    if (adapter_.is_needed()) text += adapter_.behind(kernel_, instance_text());
    for (const Zeros& zeros : zeros_) {
      text += fmt::format(
          "// As torch::zeros() does, before.\n"
          "extern \"C\" __global__ void write_zeros_to_{0}({1}* {0}) {{\n"
          "  const long long at = blockIdx.x * {2}LL + threadIdx.x;\n"
          "  if (at < {3}) {0}[at] = static_cast<{1}>(0.0f);\n}}\n\n",
          zeros.tensor, zeros.type, kZeroThreads, zeros.count->cpp());
    }
    text += launch_text(imported, extents, text);
    return text;
  }

  // Of types that PyTorch's headers declare.
  [[nodiscard]] std::string missing_includes(const std::string& includes) const {
    std::string missing;
    for (const auto& [type, header] :
         {std::pair{"__half", "cuda_fp16.h"}, std::pair{"__nv_bfloat16", "cuda_bf16.h"}}) {
      const bool is_needed = std::ranges::find(instance_, type) != instance_.end();
      if (is_needed && includes.find(header) == std::string::npos)
        missing += fmt::format("#include <{}>\n", header);
    }
    return missing;
  }

  [[nodiscard]] std::string launch_text(
      ImportedCase& imported,
      const std::vector<std::pair<std::string, std::array<Value, 3>>>& extents,
      const std::string& before) {
    const int first_line = static_cast<int>(std::ranges::count(before, '\n')) + 1;
    std::vector<std::string> fields = {".kernel = " + kernel_name()};
    const auto blank = [&](const std::string& field, const std::string& what) {
      imported.blanks.push_back({.file = "kernel.cu",
                                 .line = first_line + static_cast<int>(fields.size()),
                                 .text = fmt::format("{} = {}: {}", field, "FILL_IN", what)});
    };
    for (const auto& [field, values] : extents) {
      std::string list;
      const bool is_known = std::ranges::all_of(values, [](const Value& each) { return !!each; });
      if (!is_known) {
        blank(field, fmt::format("line {} of {} does not say it in numbers", launch_.place.line(),
                                 launch_.place.syntax()->file()));
        fields.push_back(fmt::format("{} = {{FILL_IN}}", field));
        continue;
      }
      std::size_t last = values.size();
      while (last > 1 && values.at(last - 1)->number() == 1.0) --last;
      for (std::size_t i = 0; i < last; ++i) {
        if (i > 0) list += ", ";
        const bool is_plain = values.at(i)->number() || values.at(i)->as_symbol() != nullptr;
        const std::string text = values.at(i)->cpp();
        list += is_plain ? text : fmt::format("static_cast<unsigned>({})", text);
      }
      fields.push_back(fmt::format("{} = {{{}}}", field, list));
    }
    // In the order of the fields of a launch.
    if (launch_.has_shared_bytes) {
      std::string bytes = launch_.shared_bytes ? launch_.shared_bytes->cpp() : "FILL_IN";
      if (!launch_.shared_bytes) blank(".shared_bytes", "the source does not say it in numbers");
      const auto at = std::min<std::size_t>(3, fields.size());
      fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(at), ".shared_bytes = " + bytes);
    }
    if (launch_.cooperative) fields.emplace_back(".cooperative = true");
    std::string arguments;
    for (const std::string& argument : text_.arguments)
      arguments += (arguments.empty() ? "" : ", ") + argument;
    fields.push_back(fmt::format(".arguments = \"{}\"", arguments));
    std::string text = "AUTOKERNEL_LAUNCH(";
    for (const Zeros& zeros : zeros_) {
      text += fmt::format(
          "{{.kernel = \"write_zeros_to_{0}\",\n"
          "                   .grid = {{static_cast<unsigned>(({1} + {2}) / {3})}},\n"
          "                   .block = {{{3}}},\n"
          "                   .arguments = \"{0}\"}},\n                  ",
          zeros.tensor, zeros.count->cpp(), kZeroThreads - 1, kZeroThreads);
    }
    text += "{";
    for (std::size_t i = 0; i < fields.size(); ++i)
      text += fields[i] + (i + 1 < fields.size() ? ",\n                   " : "});\n");
    if (launch_.programmatic)
      assume(launch_.place, "it is launched alone, and so not as a programmatic dependent launch");
    return text;
  }

  [[nodiscard]] std::string instance_text() const {
    if (instance_.empty()) return {};
    std::string arguments;
    for (const std::string& each : instance_) arguments += (arguments.empty() ? "" : ", ") + each;
    return "<" + arguments + ">";
  }

  [[nodiscard]] std::string kernel_name() const {
    if (adapter_.is_needed()) return fmt::format("\"{}\"", Adapter::name_for(kernel_));
    const bool is_plain = instance_.empty() && kernel_.qualified == kernel_.name &&
                          !kernel_.is_local && source_.functions_called(kernel_.name).size() == 1;
    if (is_plain) return fmt::format("\"{}\"", kernel_.name);
    return fmt::format("autokernel::kernel<&{}{}>", kernel_.qualified, instance_text());
  }

  [[nodiscard]] static std::string lines(const std::vector<Note>& notes, const char* otherwise) {
    std::string text;
    for (const Note& note : notes)
      text += fmt::format("- `{}:{}`: {}\n", plain_name(note.file), note.line, one_line(note.text));
    return text.empty() ? std::string(otherwise) + "\n" : text;
  }

  [[nodiscard]] std::string report(const ImportedCase& imported) const {
    return fmt::format(
        "# {} of {}\n\nThe case is of the launch in line {}. Its reference is the kernel as it was "
        "imported (`reference.cu`): what\nyou write into `kernel.cu` has to give the same.\n\n"
        "## Left to fill in\n\n{}\n## Taken for granted\n\n{}\n## Left out\n\n{}",
        kernel_.name, source_.main().file(), launch_.place.line(),
        lines(imported.blanks, "Nothing."), lines(imported.assumptions, "Nothing."),
        lines(imported.left_out, "Nothing."));
  }

  const Source& source_;
  HostValues& values_;
  const KernelLaunch& launch_;
  const Function& kernel_;
  CaseText text_;
  std::map<std::string, ParameterUse> uses_;
  std::optional<std::map<std::string, Value>> extents_;
  std::map<std::string, std::string> types_;  // of template parameters
  std::vector<std::string> instance_;
  std::set<std::string> names_;  // that the launch needs declared
  std::map<std::string, Symbol> needed_;
  std::set<std::string> symbols_;
  Adapter adapter_;
  std::vector<Note> assumptions_;
  // Tensors of the call that are to be zeros before the launch.
  struct Zeros {
    std::string tensor;
    std::string type;
    Value count;  // of elements
  };
  static constexpr int kZeroThreads = 256;  // to a block: enough for all of memory's bandwidth
  std::vector<Zeros> zeros_;
  const HostCall* call_ = nullptr;  // of made_for() alone, so is the next one
  const std::map<std::string, std::string>* locals_ = nullptr;
};

}  // namespace

std::variant<ImportedCase, NotImported> imported_case(const Source& source, HostValues& values,
                                                      const KernelLaunch& launch) {
  try {
    return Importer(source, values, launch).made();
  } catch (const Impossible& impossible) {
    return NotImported{
        .kernel = launch.kernel->name, .line = launch.place.line(), .reason = impossible.reason};
  }
}

std::variant<CalledKernel, std::string> called_kernel(
    const Source& source, HostValues& values, const KernelLaunch& launch, const HostCall& call,
    const std::map<std::string, std::string>& locals) {
  try {
    return Importer(source, values, launch).made_for(call, locals);
  } catch (const Impossible& impossible) {
    return fmt::format("{}: {}", launch.kernel->name, impossible.reason);
  }
}

ImportedSource import_cuda_source(const std::string& file, const std::string& text,
                                  const std::map<std::string, std::string>& headers) {
  const Source source(plain_name(file), text, headers);
  ImportedSource imported;
  std::set<const Function*> seen;
  HostValues finding(source);
  std::vector<KernelLaunch> launches = launches_of(source, finding);
  // Those whose conditions hold first, then those of which that is not known.
  std::vector<std::pair<int, std::size_t>> order;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto reached = finding.is_reached(launches[i].place, launches[i].frame);
    order.emplace_back(!reached ? 1 : *reached ? 0 : 2, i);
  }
  std::map<const Function*, std::size_t> chosen;
  for (const int rank : {0, 1, 2}) {
    for (const auto& [of, i] : order)
      if (of == rank) chosen.try_emplace(launches[i].kernel, i);
  }
  for (const auto& [of, i] : order) {
    const KernelLaunch& found = launches[i];
    if (chosen.at(found.kernel) != i || !seen.insert(found.kernel).second) continue;
    if (found.is_ambiguous) {
      imported.others.push_back({.kernel = found.kernel->name,
                                 .line = found.place.line(),
                                 .reason = "several kernels have that name, and which one is "
                                           "launched cannot be told"});
      continue;
    }
    // Of its own, so that what was taken for granted is about this launch alone.
    HostValues values(source);
    for (const KernelLaunch& launch : launches_at(source, values, found.place)) {
      if (launch.kernel != found.kernel) continue;
      auto made = imported_case(source, values, launch);
      if (auto* const one = std::get_if<ImportedCase>(&made)) {
        imported.cases.push_back(std::move(*one));
      } else {
        imported.others.push_back(std::get<NotImported>(std::move(made)));
      }
      break;
    }
  }
  for (const Function& function : source.functions()) {
    if (function.is_kernel && !function.is_specialization && !seen.contains(&function))
      imported.others.push_back({.kernel = function.name,
                                 .line = function.definition.line(),
                                 .reason = "no launch of it was found"});
  }
  return imported;
}

}  // namespace autokernel::bridge
