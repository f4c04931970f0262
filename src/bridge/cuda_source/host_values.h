// What the host code of a source says of a value: where it comes from, through variables, macros,
// the parameters of wrappers and those who call them. Nothing is run: what depends on input, or on
// the device, stays unknown.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "autokernel/bridge/note.h"
#include "bridge/cuda_source/expression.h"
#include "bridge/cuda_source/source.h"

namespace autokernel::bridge {

// A function as it is called from somewhere: what its parameters are.
struct Frame {
  const Function* function = nullptr;
  const Frame* caller = nullptr;
  std::map<std::string, Node> arguments;           // in the caller's text
  std::map<std::string, Node> template_arguments;  // likewise
};

// A variable of the host that holds an address of the device.
struct Pointer {
  std::string name;  // empty: a null pointer
  std::string type;  // of what it points to, "float"
  Value bytes;       // none where the text does not say
  Node place;        // that says it
  bool is_offset = false;
  bool is_tensor = false;           // of PyTorch: `bytes` is the number of its elements
  bool is_parameter = false;        // of a function: some of its extents may not be told
  bool is_known = false;            // a KnownParameter, and called by its name
  std::vector<Value> extents = {};  // of a tensor, where they are told
};

// A parameter of a function that is called from outside, as the caller knows it.
struct KnownParameter {
  std::string name;
  bool is_tensor = false;
  std::vector<Value> extents;
  Value number;  // none for a tensor, and for a scalar of the case
};

class HostValues {
 public:
  explicit HostValues(const Source& source) : source_(source) {}

  // By the names that the function has for them.
  void know(const Function& function, std::map<std::string, KnownParameter> parameters);
  // Of an expression that is a known number, as it is: its name.
  [[nodiscard]] std::optional<std::string> known_number(const Node& node, const Frame* frame);

  // Of the function that the node is in: called as the first caller that is found calls it, and so
  // on up to one that nobody calls. It stays as long as this.
  [[nodiscard]] const Frame* frame_of(const Node& node);
  // Of an expression there. None where it is no number; with a symbol without a value where it is
  // one that the text does not tell.
  [[nodiscard]] Value value(const Node& node, const Frame* frame);
  // Of something of type dim3, or of a number: x, y, z.
  [[nodiscard]] std::array<Value, 3> extents(const Node& node, const Frame* frame);
  [[nodiscard]] std::optional<Pointer> pointer(const Node& node, const Frame* frame);
  // What a name is, of a variable or parameter: its value and the frame that it is an expression
  // of.
  struct Origin {
    Node value;
    const Frame* frame = nullptr;
    Node declaration;  // of a variable
    Node declarator;
  };
  [[nodiscard]] std::optional<Origin> origin(const std::string& name, const Node& use,
                                             const Frame* frame);
  // The value of a member: of p.n = ... and of an initializer.
  [[nodiscard]] std::optional<Origin> member_of(const Node& object, const std::string& field,
                                                const Frame* frame);
  // As the compiler would write it at this place: template parameters by their arguments.
  [[nodiscard]] std::string type_at(const std::string& type, const Frame* frame) const;
  // "unsigned char": 1; 0 where it is not known.
  [[nodiscard]] std::int64_t bytes_of(const std::string& type, const Frame* frame,
                                      int depth = 0) const;
  // Whether the conditions around it hold, as far as they are told; none where that is not known.
  [[nodiscard]] std::optional<bool> is_reached(const Node& place, const Frame* frame);
  // What was taken for granted on the way.
  [[nodiscard]] const std::vector<Note>& assumptions() const { return assumptions_; }
  void assume(const Node& place, const std::string& text);
  // Which element of tables that are filled in one by one is asked for: the first is 0.
  void set_table_entry(std::size_t entry) { table_entry_ = entry; }

 private:
  struct Definition {
    Node place;
    Node value;        // an expression, arguments or an initializer list; none: declared only
    Node declaration;  // of an assignment, none
    Node declarator;
    bool is_by_address = false;  // handed to a function that may have written it
  };
  [[nodiscard]] std::vector<Definition> definitions(const std::string& name, const Node& use,
                                                    const Function& function) const;
  [[nodiscard]] bool is_taken(const Node& place, const Node& use, const Frame* frame);
  [[nodiscard]] std::optional<bool> leads_to(const Node& statement, const Node& below,
                                             const Frame* frame);
  [[nodiscard]] std::optional<bool> condition_of(const Node& statement, const Frame* frame);
  [[nodiscard]] std::optional<bool> is_case_taken(const Node& statement, const Frame* frame);
  [[nodiscard]] Value changed(Value value_before, const std::vector<Node>& changes, const Node& use,
                              const Frame* frame);
  [[nodiscard]] Value named(const Node& node, const Frame* frame);
  [[nodiscard]] Value named_as(const std::string& name, Value value, const Node& place);
  [[nodiscard]] Value called(const Node& node, const Frame* frame);
  [[nodiscard]] Value member(const Node& node, const Frame* frame);
  [[nodiscard]] Value with_macro(const Macro& macro, const std::vector<Node>& arguments,
                                 const Frame* frame);
  [[nodiscard]] Value returned_by(const Function& function, const std::vector<Node>& arguments,
                                  const Frame* frame);
  [[nodiscard]] Value unknown(const std::string& name, const Node& place);
  [[nodiscard]] Value size_of(const Node& node, const Frame* frame);
  [[nodiscard]] std::optional<Pointer> allocated(Pointer pointer, const Node& use,
                                                 const Frame* frame);
  // "n" where the function has int n = x.size(0); else "x_size0".
  [[nodiscard]] std::string name_of_size(const std::string& tensor, int dimension,
                                         const Frame* frame) const;
  // The first explicit one of a template: "f<float, 8>".
  [[nodiscard]] Node instance_of(const Function& function) const;
  // Of a tensor of PyTorch that is made with its extents, or whose extents are asked for.
  [[nodiscard]] std::vector<Value> extents_of_tensor(const Node& made, const Frame* frame);
  [[nodiscard]] std::vector<Value> extents_of_parameter(const std::string& tensor,
                                                        const Frame* frame);
  static void set_extents(Pointer& tensor, std::vector<Value> extents);
  [[nodiscard]] Value of_elements(Value count, const std::string& type, const Frame* frame) const;
  [[nodiscard]] Value bytes_allocated(const std::string& name, const Node& body, const Frame* frame,
                                      Node& place);
  [[nodiscard]] std::array<Value, 3> of_list(const std::vector<Node>& parts, const Frame* frame);
  [[nodiscard]] const Frame* make_frame(const Function& function, const Frame* caller,
                                        const std::vector<Node>& arguments, const Node& callee);

  // Whether the function gives a variable another value than the one it is declared with.
  [[nodiscard]] static bool is_changed(const std::string& name, const Frame* frame);
  // Whether what is called is judged: then a condition that is not told is not guessed.
  [[nodiscard]] bool is_strict() const { return called_from_outside_ != nullptr; }
  [[nodiscard]] const KnownParameter* known(const std::string& name, const Frame* frame) const;
  // Of a tensor whose caller is known, or that is like one; empty otherwise.
  [[nodiscard]] std::vector<Value> known_extents(const Node& tensor, const Frame* frame);
  [[nodiscard]] Value known_size(const Node& tensor, const Value& dimension, const Frame* frame);

  const Source& source_;
  const Function* called_from_outside_ = nullptr;
  std::map<std::string, KnownParameter> known_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::map<const Function*, const Frame*> frame_of_;
  std::set<std::string> in_progress_;
  std::map<std::string, std::vector<std::string>> names_;  // of symbols, by where they are from
  std::vector<Note> assumptions_;
  std::size_t table_entry_ = 0;
  int depth_ = 0;
  mutable std::int64_t walked_ = 0;
  int looked_at_ = 0;  // values, in all
  int followed_ = 0;   // pointers
};

// The last word of a function's or a type's name, without what it is an instance for.
[[nodiscard]] std::string last_name(const Node& callee);
[[nodiscard]] std::vector<Node> arguments_of(const Node& call);
[[nodiscard]] bool is_null(const Node& node);  // of a pointer: nullptr, NULL, 0
// The AT_DISPATCH_... (x.scalar_type(), "name", [&] { ... }) of PyTorch whose lambda the node is,
// or that is around it: the lambda is called once, with scalar_t the type of x. None where none is.
[[nodiscard]] Node dispatch_around(const Node& node);

}  // namespace autokernel::bridge
