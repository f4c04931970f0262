#include "bridge/cuda_source/device_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace autokernel::bridge {
namespace {

// Headers that the compiler of kernels has, by how their names begin.
constexpr std::array<std::string_view, 17> kDeviceHeaders = {"cuda_fp16.h",
                                                             "cuda_bf16.h",
                                                             "cuda_fp8.h",
                                                             "cuda_fp6.h",
                                                             "cuda_fp4.h",
                                                             "mma.h",
                                                             "cooperative_groups",
                                                             "math_constants.h",
                                                             "cuda/",
                                                             "cub/",
                                                             "cuda_pipeline",
                                                             "cuComplex.h",
                                                             "curand_kernel.h",
                                                             "cutlass/",
                                                             "cute/",
                                                             "cuda_awbarrier",
                                                             "cccl/"};
constexpr std::array<std::string_view, 5> kDeviceNamespaces = {"cooperative_groups", "nvcuda",
                                                               "cuda", "cub", "cute"};

[[nodiscard]] bool is_device_header(std::string_view name) {
  return std::ranges::any_of(kDeviceHeaders,
                             [&](std::string_view known) { return name.starts_with(known); });
}

// What the grammar did not understand has items, too.
[[nodiscard]] bool is_container(const Node& node) {
  return node.is("namespace_definition") || node.is("linkage_specification") || node.is("ERROR");
}

[[nodiscard]] std::vector<Node> inside(const Node& container) {
  const Node body = container.field("body");
  if (container.is("ERROR") || !body) return container.children();
  return body.is("declaration_list") ? body.children() : std::vector<Node>{body};
}

// Where conditionals were, lines of spaces are left: one of several stays, and none at the end.
[[nodiscard]] std::string without_empty_lines(const std::string& text) {
  std::string kept;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
    if (!line.empty() || !kept.ends_with("\n\n")) kept += line + "\n";
    begin = end + 1;
  }
  while (!kept.empty() && kept.back() == '\n') kept.pop_back();
  return kept;
}

// What is declared by a template is what stands behind its parameters.
[[nodiscard]] Node declared_by(Node item) {
  while (item.is("template_declaration")) {
    const std::vector<Node> children = item.children();
    if (children.empty()) break;
    item = children.back();
  }
  return item;
}

class DeviceWriter {
 public:
  DeviceWriter(const Source& source, const Function& kernel, const std::set<std::string>& given,
               bool as_function)
      : source_(source), kernel_(kernel), given_(given), as_function_(as_function) {
    for (const auto& file : source.files()) collect(file->root());
  }

  void reach(const std::set<std::string>& names) {
    std::vector<std::string> waiting(names.begin(), names.end());
    waiting.push_back(kernel_.name);
    while (!waiting.empty()) {
      const std::string name = waiting.back();
      waiting.pop_back();
      if (!reached_.insert(name).second || given_.contains(name)) continue;
      for (Item& item : items_) {
        if (!item.names.contains(name) || item.is_kept || !item.is_for_device) continue;
        item.is_kept = true;
        declared_.insert(item.names.begin(), item.names.end());
        for (std::string& word : names_in(item.node)) waiting.push_back(std::move(word));
        if (item.node.is("preproc_def") || item.node.is("preproc_function_def")) {
          for (std::string& word : names_in(item.node.field("value").text()))
            waiting.push_back(std::move(word));
        }
      }
    }
    // using namespace x, and the like, for what is there.
    for (Item& item : items_) {
      if (!item.is_using) continue;
      const std::vector<std::string> words = names_in(item.node);
      item.is_kept = std::ranges::any_of(words, [&](const std::string& word) {
        return std::ranges::find(kDeviceNamespaces, word) != kDeviceNamespaces.end() ||
               namespaces_.contains(word);
      });
    }
  }

  [[nodiscard]] DeviceText written() {
    DeviceText written;
    for (const auto& file : source_.files()) {
      for (const Node& item : file->root().children()) written.text += text_of(item);
    }
    // The licence, or what the file says of itself.
    const Node first =
        source_.main().root().tokens().empty() ? Node() : source_.main().root().tokens()[0];
    if (first.is("comment")) written.text = first.string() + "\n\n" + written.text;
    written.includes = std::move(includes_);
    written.includes += fixed_width_types() + limits();
    written.declared = std::move(declared_);
    for (const Item& item : items_) note(item, written.left_out);
    return written;
  }

 private:
  struct Item {
    Node node;
    std::set<std::string> names;
    bool is_for_device = false;
    bool is_kept = false;
    bool is_using = false;
    bool is_include = false;
    bool is_given = false;
  };

  void collect(const Node& container) {
    for (const Node& node : container.parent() ? inside(container) : container.children()) {
      if (is_container(node)) {
        if (node.is("namespace_definition")) namespaces_.insert(node.field("name").string());
        collect(node);
      } else {
        add(node);
      }
    }
  }
  void add(const Node& node) {
    Item item;
    item.node = node;
    const Node what = declared_by(node);
    if (node.text().starts_with("#pragma once")) return;
    if (node.is("preproc_include")) {
      item.is_include = true;
      std::string name = node.field("path").string();
      std::erase_if(name, [](char c) { return c == '<' || c == '>' || c == '"'; });
      // One that was read is here with its items.
      const bool is_read = std::ranges::any_of(
          source_.files(), [&](const auto& file) { return file->file() == name; });
      if (is_read) return;
      if (is_device_header(name)) {
        item.is_kept = true;
        includes_ += fmt::format("#include <{}>\n", name);
      }
    } else if (node.is("preproc_call")) {
      if (node.field("directive").text() == "#undef") {
        item.names.insert(node.field("argument").string());
        item.is_for_device = true;
      }
    } else if (node.is("preproc_def") || node.is("preproc_function_def")) {
      item.names.insert(node.field("name").string());
      item.is_for_device = true;
    } else if (node.is("using_declaration") || node.is("namespace_alias_definition")) {
      item.is_using = true;
    } else if (what.is("function_definition")) {
      add_function(item, what);
    } else if (what.is("declaration")) {
      add_declaration(item, what);
    } else if (what.is("type_definition")) {
      for (const Node& declarator : what.fields("declarator"))
        item.names.insert(declared_name(declarator).string());
      add_type(item, what.field("type"));
      item.is_for_device = true;
    } else if (what.is("alias_declaration") || what.is("concept_definition")) {
      item.names.insert(what.field("name").string());
      item.is_for_device = true;
    } else if (what.kind().ends_with("_specifier")) {
      add_type(item, what);
      item.is_for_device = true;
    }
    for (const std::string& name : item.names) item.is_given |= given_.contains(name);
    items_.push_back(std::move(item));
  }

  static void add_type(Item& item, const Node& type) {
    if (const Node name = type.field("name")) {
      item.names.insert(name.is("template_type") ? name.field("name").string() : name.string());
    }
    if (!type.is("enum_specifier")) return;
    for (const Node& enumerator : type.field("body").children())
      item.names.insert(enumerator.field("name").string());
  }

  void add_function(Item& item, const Node& definition) {
    for (const Function& function : source_.functions()) {
      if (!(function.definition == definition)) continue;
      item.names.insert(function.name);
      const bool is_its_instance = function.is_specialization && function.name == kernel_.name;
      item.is_for_device = function.is_device || &function == &kernel_ || is_its_instance;
      // Nobody names an operator.
      if (function.is_device && function.name.empty()) item.names.insert(kernel_.name);
    }
    // What belongs to a struct comes with it.
    walk(definition.field("declarator"), [&](const Node& at) {
      if (at.is("qualified_identifier") && at.field("scope"))
        item.names.insert(at.field("scope").string());
      return !at.is("parameter_list");
    });
  }

  static void add_declaration(Item& item, const Node& declaration) {
    bool is_function = false;
    for (const Node& declarator : declaration.fields("declarator")) {
      item.names.insert(declared_name(declarator).string());
      is_function |= declarator.is("function_declarator");
    }
    const std::vector<std::string> words = names_in(declaration);
    const auto has = [&](const char* word) {
      return std::ranges::find(words, word) != words.end();
    };
    item.is_for_device = has("__device__") || has("__constant__") || has("__shared__") ||
                         has("constexpr") || (has("const") && !is_function);
  }

  [[nodiscard]] const Item* item_of(const Node& node) const {
    for (const Item& item : items_)
      if (item.node == node) return &item;
    return nullptr;
  }

  [[nodiscard]] std::string text_of(const Node& node) {
    if (is_container(node)) return text_of_container(node);
    const Item* const item = item_of(node);
    if (item == nullptr || !item->is_kept || item->is_include) return {};
    const bool is_kernel = node.contains(kernel_.definition);
    std::string text = std::string(comments_before(node)) +
                       (is_kernel && as_function_ ? as_function(node) : node.string());
    // The grammar leaves the semicolon outside of some.
    const std::string& whole = node.syntax()->text();
    if (node.end() < whole.size() && whole[node.end()] == ';') text += ';';
    return without_empty_lines(text) + "\n\n";
  }

  [[nodiscard]] std::string text_of_container(const Node& node) {
    std::string items;
    for (const Node& child : inside(node)) items += text_of(child);
    if (items.empty() || node.is("ERROR")) return items;
    if (node.is("linkage_specification")) return "extern \"C\" {\n\n" + items + "}\n\n";
    // With `inline`, where it is so.
    const std::string_view all = node.text();
    return fmt::format("{}{{\n\n{}}}\n\n", all.substr(0, node.field("body").begin() - node.begin()),
                       items);
  }

  // Of <cstdint>, which the compiler of kernels has under another name.
  [[nodiscard]] std::string fixed_width_types() const {
    std::string text;
    for (const char* const bits : {"8", "16", "32", "64", "ptr"}) {
      for (const char* const sign : {"int", "uint"}) {
        const std::string name = fmt::format("{}{}_t", sign, bits);
        if (reached_.contains(name) && !declared_.contains(name))
          text += fmt::format("using cuda::std::{};\n", name);
      }
    }
    if (!text.empty()) text.insert(0, "#include <cuda/std/cstdint>\n");
    // Of the C library's headers.
    if (reached_.contains("uint") && !declared_.contains("uint"))
      text += "using uint = unsigned int;\n";
    return text;
  }

  // Of <cmath>, <cfloat> and <climits>, which it has not: as the standard says for these types.
  [[nodiscard]] std::string limits() const {
    static const std::map<std::string, const char*> kLimits = {
        {"INFINITY", "__int_as_float(0x7f800000)"},
        {"NAN", "__int_as_float(0x7fffffff)"},
        {"FLT_MAX", "3.402823466e+38f"},
        {"FLT_MIN", "1.175494351e-38f"},
        {"FLT_EPSILON", "1.192092896e-07f"},
        {"DBL_MAX", "1.7976931348623158e+308"},
        {"DBL_MIN", "2.2250738585072014e-308"},
        {"DBL_EPSILON", "2.2204460492503131e-16"},
        {"INT_MAX", "2147483647"},
        {"INT_MIN", "(-2147483647 - 1)"},
        {"UINT_MAX", "4294967295u"},
        {"LLONG_MAX", "9223372036854775807ll"},
        {"M_PI", "3.14159265358979323846"}};
    std::string text;
    for (const auto& [name, value] : kLimits) {
      if (reached_.contains(name) && !declared_.contains(name))
        text += fmt::format("#ifndef {0}\n#define {0} {1}\n#endif\n", name, value);
    }
    return text;
  }

  [[nodiscard]] static std::string as_function(const Node& node) {
    std::string text = node.string();
    const std::string global = "__global__";
    const std::size_t at = text.find(global);
    if (at != std::string::npos) text.replace(at, global.size(), "__device__");
    walk(node, [&](const Node& inner) {
      if (!inner.is("launch_bounds")) return !inner.is("compound_statement");
      const std::size_t begin = text.find(inner.text());
      if (begin != std::string::npos) text.erase(begin, inner.text().size());
      return false;
    });
    return text;
  }

  // Those that stand right in front of it.
  [[nodiscard]] static std::string_view comments_before(const Node& node) {
    const std::string_view text = node.syntax()->text();
    std::uint32_t begin = node.begin();
    const std::vector<Node> siblings = node.parent().tokens();
    auto at = std::ranges::find(siblings, node);
    while (at != siblings.begin()) {
      --at;
      if (!at->is("comment") || at == siblings.begin()) break;
      const std::string_view between = text.substr(at->end(), begin - at->end());
      if (std::ranges::count(between, '\n') > 1) break;
      begin = at->begin();
    }
    return text.substr(begin, node.begin() - begin);
  }

  void note(const Item& item, std::vector<Note>& notes) const {
    if (item.is_kept || item.is_given) return;
    const Node what = declared_by(item.node);
    const std::string name = item.names.empty() ? "" : *item.names.begin();
    std::string text;
    if (item.is_include) {
      std::string header = item.node.field("path").string();
      std::erase_if(header, [](char c) { return c == '<' || c == '>' || c == '"'; });
      text = fmt::format("the header {}, which is not for device code", header);
    } else if (what.is("function_definition")) {
      const auto function = std::ranges::find_if(
          source_.functions(), [&](const Function& each) { return each.definition == what; });
      const bool is_kernel = function != source_.functions().end() && function->is_kernel;
      text = fmt::format("{} {}",
                         is_kernel            ? "the kernel"
                         : item.is_for_device ? "the device function"
                                              : "the host function",
                         function != source_.functions().end() ? function->name : name);
    } else if (!name.empty()) {
      text = fmt::format("the declaration of {}", name);
    } else if (item.node.is("comment") || item.is_using) {
      return;
    } else {
      if (item.node.text().empty() || item.node.text() == ";") return;
      text = "a part that declares nothing";
    }
    notes.push_back({.file = item.node.syntax()->file(), .line = item.node.line(), .text = text});
  }

  const Source& source_;
  const Function& kernel_;
  const std::set<std::string>& given_;
  bool as_function_;
  std::vector<Item> items_;
  std::set<std::string> reached_;
  std::set<std::string> namespaces_;
  std::set<std::string> declared_;
  std::string includes_;
};

}  // namespace

DeviceText device_text(const Source& source, const Function& kernel,
                       const std::set<std::string>& names, const std::set<std::string>& given,
                       bool as_function) {
  DeviceWriter writer(source, kernel, given, as_function);
  writer.reach(names);
  return writer.written();
}

}  // namespace autokernel::bridge
