// Labels of one function: defined and used in any order, the same name again in another scope. A
// use means the label of the innermost scope around it that has one of that name, before or behind
// it.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/lexer.h"

namespace emulator::ptx {

enum class LabelKind : std::uint8_t { code, branch_targets, call_targets };

struct Label {
  LabelKind kind;
  std::uint32_t target;  // instruction index for code, index of the list otherwise
};

// Where a use stands, in the caller's terms: given back with the label once that is known.
struct LabelUse {
  enum class Holder : std::uint8_t { instruction, target_list, none };
  LabelKind wanted;
  Holder holder;
  std::uint32_t index;    // of the instruction or the list
  std::uint32_t element;  // of its operands or targets
};

class Labels {
 public:
  struct Bound {
    LabelUse use;
    std::uint32_t target;
  };

  void open_scope();
  // Binds the uses inside the scope that mean one of its labels. Throws Error at a use of a label
  // of another kind.
  void close_scope();

  // The caller sees to it that a scope defines a name once. Names must live until the end.
  void define(std::string_view name, Label label);
  void use(const Token& name, LabelUse use);

  // After the last scope closed: every use with its target. Throws Error at the first use that
  // means nothing.
  [[nodiscard]] const std::vector<Bound>& bound() const;

 private:
  struct Waiting {
    LabelUse use;
    Location where;
    std::uint64_t order;  // of all uses of the function
  };
  struct Definition {
    std::string_view name;
    Label label;
  };
  struct Scope {
    std::uint64_t first_use;
    std::vector<Definition> defined;
  };

  std::vector<Scope> scopes_;
  // Uses not yet bound, in order, for each name: those inside the innermost scope are at the end.
  std::unordered_map<std::string_view, std::vector<Waiting>> waiting_;
  std::vector<Bound> bound_;
  std::uint64_t uses_ = 0;
};

}  // namespace emulator::ptx
