// case.toml of an imported kernel.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "autokernel/bridge/note.h"
#include "bridge/cuda_source/expression.h"

namespace autokernel::bridge {

struct CaseTensor {
  std::string name;
  std::string dtype;
  std::string role;  // "in", "out" or "inout"
  Value count;       // elements; none where it is not known
  bool is_index = false;
  bool is_const = false;
  int line = 0;  // of the source, which gives it its size

  [[nodiscard]] bool is_written() const { return role != "in"; }
};

struct CaseScalar {
  std::string name;
  std::string dtype;
  std::string value;      // as in TOML; empty: not known
  bool is_drawn = false;  // anew for each launch
  int line = 0;
};

struct CaseText {
  std::string file;
  std::string kernel;
  int line = 0;  // of the launch
  std::vector<CaseTensor> tensors;
  std::vector<CaseScalar> scalars;
  std::vector<std::string> arguments;  // of the launch, in order
  std::set<std::string> sizes_handed_over;
  std::map<std::string, Symbol> in_formulas;                // of scalars
  std::vector<std::pair<std::string, Value>> derived = {};  // sizes that follow from others

  std::map<std::string, Symbol> sizes;
  // Which of the symbols are sizes of the case: those of shapes and formulas, and those that are
  // not known.
  // Those are proposed: so that a block has 256 threads, a grid 128 blocks, and tensors about 2^20
  // elements.
  struct Shape {
    std::array<Value, 3> grid;
    std::array<Value, 3> block;
  };
  void set_sizes(const std::map<std::string, Symbol>& needed, const Shape& shape);
  std::map<std::string, std::int64_t> proposed;
};

// Adds what is left to fill in, and what was taken for granted.
[[nodiscard]] std::string case_text(const CaseText& text, std::vector<Note>& blanks,
                                    std::vector<Note>& assumptions);

// Whether a tensor, a scalar or a size may have this name.
[[nodiscard]] bool is_usable(const std::string& name);

}  // namespace autokernel::bridge
