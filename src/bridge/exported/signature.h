// What the functions of an export take: the tensors of the case in their order, then those of its
// scalars that have no value of their own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autokernel/bridge/exported_kernel.h"

namespace autokernel::bridge {

// A type of elements, as others call it.
struct ElementType {
  int code = 0;  // DLPack's (dlpack.h, DLDataTypeCode)
  int bits = 0;
  const char* name = "";    // "bfloat16", as torch and numpy have it
  const char* in_c = "";    // of a scalar in C, which is rounded; empty: a scalar cannot be of it
  const char* schema = "";  // of a scalar in the schema of an operator of PyTorch
};
[[nodiscard]] ElementType element_type(cases::DType dtype);

// What a whole number of that type may be.
struct WholeRange {
  bool is_whole = false;
  std::int64_t least = 0;
  std::int64_t greatest = 0;
};
[[nodiscard]] WholeRange whole_range(cases::DType dtype);
// As C and C++ write it: the least number of 64 bits has no literal.
[[nodiscard]] std::string c_number(std::int64_t number);

struct ShippedOperand {
  std::string name;   // of a parameter, in C and in Python
  std::string label;  // as the case calls it
  cases::Role role = cases::Role::in;
  cases::DType dtype = cases::DType::f32;  // at the first size
};

struct Signature {
  std::vector<ShippedOperand> tensors;
  std::vector<ShippedOperand> scalars;  // those that the caller gives
  std::vector<int> scalar_of_value;     // by the index of ReadyKernel's values; -1: it is fixed
  std::uint64_t workspace_bytes = 0;    // the most of all sizes
  bool has_variables = false;           // which a launch may leave changed

  [[nodiscard]] bool has_workspace() const { return workspace_bytes > 0; }
};

// Throws Error(usage) where the kernel takes what no function of an export can be given.
[[nodiscard]] Signature signature_of(const KernelToShip& kernel);

// Throws Error(usage) where two sizes have the same tensors: a call then does not say which it is
// of.
void require_distinct_shapes(const KernelToShip& kernel);

// "M = 1024, N = 1024".
[[nodiscard]] std::string size_text(const cases::Sizes& symbols);

// "[1024, 1024]".
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& extents);

// Elements from one index to the next, of each dimension.
[[nodiscard]] std::vector<std::int64_t> strides_of(const trial::ReadyTensor& tensor);

// A sentence about the scalars that have a value of their own, `before` it; empty where none has.
[[nodiscard]] std::string fixed_text(const KernelToShip& kernel, const std::string& before);

// 'i': read, 'o': written, 'b': both.
[[nodiscard]] char role_letter(cases::Role role);

// One line that says what it is.
[[nodiscard]] std::string summary_of(const KernelToShip& kernel);

}  // namespace autokernel::bridge
