// What a function of Python around a kernel is called with: the parts of its text.
#pragma once

#include <string>
#include <vector>

#include "bridge/exported/signature.h"

namespace autokernel::bridge {

struct PythonFunction {
  std::vector<std::string> given;    // tensors that are read, by name
  std::vector<std::string> made;     // tensors that are only written
  std::vector<std::string> tensors;  // all of them, in order
  std::string scalars;               // ", alpha, beta"

  [[nodiscard]] std::string call() const;      // "A, B, alpha"
  [[nodiscard]] std::string keywords() const;  // ", *, C=None"
  [[nodiscard]] std::string returns() const;   // " -> C"
};
[[nodiscard]] PythonFunction python_function(const Signature& signature);

// Parameters of an operator's schema: "Tensor A, Tensor(a!) y, float alpha". All tensors, or those
// that are read.
[[nodiscard]] std::vector<std::string> schema_of(const Signature& signature, bool with_outputs);

[[nodiscard]] std::string joined(const std::vector<std::string>& texts);  // by ", "

}  // namespace autokernel::bridge
