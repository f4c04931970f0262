// What reading a case needs to know of element types beyond the public header.
#pragma once

#include <string>
#include <vector>

#include "autokernel/cases/case.h"

namespace autokernel::cases {

// Element types that are others to the harness: a complex number is two floats, and what has fewer
// bits than a byte is drawn and compared by its code.
struct ElementAlias {
  const char* spelling;  // "complex64"
  DType dtype;
  const char* cpp_name;
  int elements;  // of that dtype
};
[[nodiscard]] const ElementAlias* alias_spelled(const std::string& text);  // null: it is none
[[nodiscard]] std::vector<std::string> alias_spellings();

[[nodiscard]] std::vector<std::string> dtype_spellings();
[[nodiscard]] DType dtype_from(const std::string& text);  // one of dtype_spellings()

// Every whole number from low to high has a value of its own in the type.
struct WholeNumbers {
  double low;
  double high;
};
[[nodiscard]] WholeNumbers whole_numbers_of(DType dtype);
[[nodiscard]] double largest_of(DType dtype);  // finite value
// Whether a product that is checked as one may have factors and results of the type: f32, f16 or
// bf16.
[[nodiscard]] bool is_factor_type(DType dtype);

}  // namespace autokernel::cases
