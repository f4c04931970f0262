// The types of the elements of matrices, as the instructions of tensor cores name them.
#pragma once

#include <optional>

#include "ptx/ast.h"
#include "runtime/abi.h"

namespace emulator::lower {

// None where no matrix has such elements. Floats of less than 8 bits are those that fill a byte
// each.
[[nodiscard]] std::optional<runtime::MatrixType> matrix_type(ptx::Type type);

[[nodiscard]] bool has_integers(runtime::MatrixType type);

// e4m3 and e5m2.
[[nodiscard]] bool is_byte_float(runtime::MatrixType type);
// These and the smaller ones, of .kind::f8f6f4.
[[nodiscard]] bool is_small_float(runtime::MatrixType type);

}  // namespace emulator::lower
