// A text of CUDA C++ as a tree (tree-sitter). What the grammar does not know, such as a macro that
// stands for half a statement, is an error node, and the tree goes on behind it.
#pragma once

#include <tree_sitter/api.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace autokernel::bridge {

class Syntax;

// A place in a tree, or none. The Syntax must live longer.
class Node {
 public:
  Node() = default;
  Node(TSNode node, const Syntax* syntax) : node_(node), syntax_(syntax) {}

  [[nodiscard]] explicit operator bool() const { return syntax_ != nullptr; }
  // By the grammar: "call_expression". Of none it is empty, and so is all else.
  [[nodiscard]] std::string_view kind() const;
  [[nodiscard]] bool is(std::string_view kind) const { return this->kind() == kind; }
  [[nodiscard]] std::string_view text() const;
  [[nodiscard]] std::string string() const { return std::string(text()); }
  [[nodiscard]] const Syntax* syntax() const { return syntax_; }
  [[nodiscard]] std::uint32_t begin() const;  // bytes into the text
  [[nodiscard]] std::uint32_t end() const;
  [[nodiscard]] int line() const;  // from 1
  [[nodiscard]] Node parent() const;
  [[nodiscard]] Node field(const char* name) const;
  [[nodiscard]] std::vector<Node> fields(const char* name) const;  // "declarator" of `int a, b`
  [[nodiscard]] std::vector<Node> children() const;                // without punctuation
  [[nodiscard]] std::vector<Node> tokens() const;                  // with it
  [[nodiscard]] bool contains(const Node& other) const;

  friend bool operator==(const Node& a, const Node& b) {
    return a.syntax_ == b.syntax_ && (a.syntax_ == nullptr || ts_node_eq(a.node_, b.node_));
  }

 private:
  [[nodiscard]] Node made(TSNode node) const;

  TSNode node_{};
  const Syntax* syntax_ = nullptr;
};

class Syntax {
 public:
  // `file` is for messages. Any text gives a tree. Throws Error(environment) where the grammar, a
  // library of ours, is missing.
  Syntax(std::string file, std::string text);

  [[nodiscard]] Node root() const;
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  struct Delete {
    void operator()(TSTree* tree) const { ts_tree_delete(tree); }
  };
  std::string file_;
  std::string text_;
  std::unique_ptr<TSTree, Delete> tree_;
};

// Calls `visit` with the node and all below it, in the order of the text; where that returns false,
// not with what is below.
void walk(const Node& node, const std::function<bool(const Node&)>& visit);

// The words of a node's text that are names or keywords, comments and literals left out.
[[nodiscard]] std::vector<std::string> names_in(const Node& node);
[[nodiscard]] std::vector<std::string> names_in(std::string_view text);

}  // namespace autokernel::bridge
