// A CUDA source with the headers that lie beside it, by what it declares.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/bridge/note.h"
#include "bridge/cuda_source/syntax.h"

namespace autokernel::bridge {

struct Parameter {
  std::string name;       // empty where it has none
  std::string type;       // "const float", of a pointer what it points to
  int pointers = 0;       // "float*": 1; an array is a pointer, too
  bool is_const = false;  // what is pointed to
  Node declaration;
};

struct Function {
  std::string name;
  std::string qualified;  // "x::scale"
  Node definition;
  Node body;
  std::vector<Parameter> parameters;
  std::vector<std::string> template_parameters;  // names
  std::vector<bool> template_is_type;
  std::vector<Node> template_defaults;
  bool is_kernel = false;
  bool is_local = false;           // static, or in an unnamed namespace
  bool is_specialization = false;  // template <>
  bool is_device = false;          // can be called on the device: __device__, constexpr
  bool is_macro = false;           // of statements, which see the variables around where it is used
};

struct Macro {
  std::vector<std::string> parameters;
  bool is_function = false;
  std::unique_ptr<Syntax> body;        // as the value of a variable
  Node value;                          // in it; none where the macro is no expression
  std::unique_ptr<Syntax> statements;  // as a function's body, of a macro with parameters
  Node definition;
  bool is_redefined = false;
};

class Source {
 public:
  // Headers by the name that they are included by.
  Source(const std::string& file, const std::string& text,
         const std::map<std::string, std::string>& headers);

  // In the order of their text: headers before what includes them.
  [[nodiscard]] const std::vector<std::unique_ptr<Syntax>>& files() const { return files_; }
  [[nodiscard]] const Syntax& main() const { return *files_.back(); }
  // Where host code is: the files, and the macros of statements.
  [[nodiscard]] std::vector<Node> roots() const;
  [[nodiscard]] const std::vector<Function>& functions() const { return functions_; }
  [[nodiscard]] std::vector<const Function*> functions_called(const std::string& name) const;
  [[nodiscard]] const Function* function_around(const Node& node) const;
  // Calls by that last name, in all files and macros.
  [[nodiscard]] const std::vector<Node>& calls_of(const std::string& name) const;
  // Whether a function, macro, variable or type of the source, or one of C's library that every
  // kernel has, is called so.
  [[nodiscard]] bool declares(const std::string& name) const;
  [[nodiscard]] const Macro* macro(const std::string& name) const;
  // The declarator of a variable outside functions, with its declaration.
  struct Variable {
    Node declaration;
    Node declarator;  // with its initial value: an init_declarator
  };
  [[nodiscard]] std::optional<Variable> variable(const std::string& name) const;
  // What a type's name stands for, as far as aliases go: "floatX" -> "float". `pointers` grows with
  // those of the aliases.
  [[nodiscard]] std::string resolved_type(std::string type, int* pointers = nullptr) const;
  [[nodiscard]] Node struct_called(const std::string& name) const;
  // Of the preprocessor's conditions.
  [[nodiscard]] const std::vector<Note>& assumptions() const { return assumptions_; }

 private:
  void read(const Syntax& syntax);
  void read_function(const Node& definition);
  void read_macro(const Node& definition);
  [[nodiscard]] bool means_device(const std::vector<std::string>& words, const char* word) const;

  std::vector<std::unique_ptr<Syntax>> files_;
  std::vector<Function> functions_;
  std::map<std::string, Macro> macros_;
  std::map<std::string, std::vector<Variable>> variables_;
  std::map<std::string, std::vector<Node>> aliases_;  // type_definition, alias_declaration
  std::map<std::string, Node> structs_;
  std::map<std::string, std::vector<Node>> calls_;
  std::vector<Note> assumptions_;
};

// The name that a declarator declares: of "*restrict x[4]" the identifier x.
[[nodiscard]] Node declared_name(const Node& declarator);
// How many pointers and arrays are between the type and the name.
[[nodiscard]] int pointers_of(const Node& declarator);
// Of a declaration or parameter: the type without const and the like.
[[nodiscard]] std::string type_of(const Node& declaration);

}  // namespace autokernel::bridge
