#include "bridge/cuda_source/syntax.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <new>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/own_library.h"

namespace autokernel::bridge {
namespace {

constexpr const char* kGrammar = "libautokernel_cuda_syntax.so";

[[nodiscard]] const TSLanguage* opened_language() {
  for (const std::filesystem::path& place : own_library_places(kGrammar)) {
    void* const library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    using Language = const TSLanguage*();
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as POSIX has dlsym used
    auto* const language = reinterpret_cast<Language*>(::dlsym(library, "tree_sitter_cuda"));
    if (language != nullptr) return language();
  }
  throw Error(Stop::environment,
              fmt::format("cannot read CUDA C++: {} is not there; install autokernel again with it "
                          "in ../lib beside the program",
                          kGrammar));
}

// CUDA C++; it stays open.
[[nodiscard]] const TSLanguage* language() {
  static const TSLanguage* const opened = opened_language();
  return opened;
}

struct DeleteParser {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
};

[[nodiscard]] bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

[[nodiscard]] bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// A backslash at the end of a line joins lines for compilers even where spaces stand behind it;
// for the grammar it has to be the last letter.
[[nodiscard]] std::string with_joined_lines(std::string text) {
  // Where CUDA writes it, the grammar takes the standard's word alone.
  const std::string align = "__align__";
  for (std::size_t at = text.find(align); at != std::string::npos; at = text.find(align, at))
    text.replace(at, align.size(), "alignas  ");
  for (std::size_t end = text.find('\n'); end != std::string::npos;
       end = text.find('\n', end + 1)) {
    std::size_t last = end;
    while (last > 0 && (text[last - 1] == ' ' || text[last - 1] == '\t')) --last;
    if (last == 0 || last == end || text[last - 1] != '\\') continue;
    text[last - 1] = ' ';
    text[end - 1] = '\\';
  }
  return text;
}

}  // namespace

std::string_view Node::kind() const {
  return syntax_ == nullptr ? std::string_view() : ts_node_type(node_);
}

std::string_view Node::text() const {
  if (syntax_ == nullptr) return {};
  return std::string_view(syntax_->text()).substr(begin(), end() - begin());
}

std::uint32_t Node::begin() const { return syntax_ == nullptr ? 0 : ts_node_start_byte(node_); }
std::uint32_t Node::end() const { return syntax_ == nullptr ? 0 : ts_node_end_byte(node_); }

int Node::line() const {
  return syntax_ == nullptr ? 0 : static_cast<int>(ts_node_start_point(node_).row) + 1;
}

Node Node::made(TSNode node) const { return ts_node_is_null(node) ? Node() : Node(node, syntax_); }

Node Node::parent() const { return syntax_ == nullptr ? Node() : made(ts_node_parent(node_)); }

Node Node::field(const char* name) const {
  if (syntax_ == nullptr) return {};
  const std::string_view word(name);
  return made(
      ts_node_child_by_field_name(node_, word.data(), static_cast<std::uint32_t>(word.size())));
}

std::vector<Node> Node::fields(const char* name) const {
  std::vector<Node> found;
  if (syntax_ == nullptr) return found;
  const std::uint32_t count = ts_node_child_count(node_);
  for (std::uint32_t i = 0; i < count; ++i) {
    const char* const field = ts_node_field_name_for_child(node_, i);
    if (field != nullptr && std::string_view(field) == name)
      found.push_back(made(ts_node_child(node_, i)));
  }
  return found;
}

std::vector<Node> Node::children() const {
  std::vector<Node> found;
  if (syntax_ == nullptr) return found;
  const std::uint32_t count = ts_node_named_child_count(node_);
  found.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Node child = made(ts_node_named_child(node_, i));
    if (!child.is("comment")) found.push_back(child);
  }
  return found;
}

std::vector<Node> Node::tokens() const {
  std::vector<Node> found;
  if (syntax_ == nullptr) return found;
  const std::uint32_t count = ts_node_child_count(node_);
  found.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) found.push_back(made(ts_node_child(node_, i)));
  return found;
}

bool Node::contains(const Node& other) const {
  return syntax_ == other.syntax_ && begin() <= other.begin() && other.end() <= end();
}

Syntax::Syntax(std::string file, std::string text)
    : file_(std::move(file)), text_(with_joined_lines(std::move(text))) {
  const std::unique_ptr<TSParser, DeleteParser> parser(ts_parser_new());
  ts_parser_set_language(parser.get(), language());
  tree_.reset(ts_parser_parse_string(parser.get(), nullptr, text_.data(),
                                     static_cast<std::uint32_t>(text_.size())));
  if (!tree_) throw std::bad_alloc();
}

Node Syntax::root() const { return {ts_tree_root_node(tree_.get()), this}; }

void walk(const Node& node, const std::function<bool(const Node&)>& visit) {
  // A source can be nested deeper than a stack is.
  std::vector<Node> waiting = {node};
  while (!waiting.empty()) {
    const Node next = waiting.back();
    waiting.pop_back();
    if (!visit(next)) continue;
    std::vector<Node> below = next.children();
    waiting.insert(waiting.end(), below.rbegin(), below.rend());
  }
}

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    if (begins_name(text[i])) {
      while (i < text.size() && continues_name(text[i])) ++i;
      names.emplace_back(text.substr(begin, i - begin));
    } else if (std::isdigit(static_cast<unsigned char>(text[i])) != 0) {
      while (i < text.size() && continues_name(text[i])) ++i;
    } else {
      ++i;
    }
  }
  return names;
}

std::vector<std::string> names_in(const Node& node) {
  std::vector<std::string> names;
  walk(node, [&](const Node& at) {
    if (at.is("string_literal") || at.is("char_literal") || at.is("number_literal")) return false;
    const std::vector<Node> tokens = at.tokens();
    for (const Node& token : tokens) {
      // Qualifiers such as __device__ have no name in the grammar.
      if (!token.is("comment") && token.tokens().empty() && !token.is("number_literal")) {
        std::vector<std::string> found = names_in(token.text());
        names.insert(names.end(), found.begin(), found.end());
      }
    }
    return true;
  });
  if (node.tokens().empty()) {
    std::vector<std::string> own = names_in(node.text());
    names.insert(names.end(), own.begin(), own.end());
  }
  return names;
}

}  // namespace autokernel::bridge
