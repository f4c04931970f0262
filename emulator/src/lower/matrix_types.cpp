#include "lower/matrix_types.h"

namespace emulator::lower {

using ptx::Type;
using runtime::MatrixType;

std::optional<MatrixType> matrix_type(Type type) {
  struct Name {
    Type type;
    MatrixType matrix;
  };
  static constexpr Name kNames[] = {
      {Type::f16, MatrixType::f16},   {Type::bf16, MatrixType::bf16},
      {Type::tf32, MatrixType::tf32}, {Type::f32, MatrixType::f32},
      {Type::f64, MatrixType::f64},   {Type::e4m3, MatrixType::e4m3},
      {Type::e5m2, MatrixType::e5m2}, {Type::e3m2, MatrixType::e3m2},
      {Type::e2m3, MatrixType::e2m3}, {Type::e2m1, MatrixType::e2m1_in_byte},
      {Type::s32, MatrixType::s32},   {Type::s8, MatrixType::s8},
      {Type::u8, MatrixType::u8},     {Type::s4, MatrixType::s4},
      {Type::u4, MatrixType::u4},     {Type::b1, MatrixType::b1},
  };
  for (const Name& name : kNames)
    if (name.type == type) return name.matrix;
  return std::nullopt;
}

bool has_integers(MatrixType type) {
  return type == MatrixType::s32 || type == MatrixType::s8 || type == MatrixType::u8 ||
         type == MatrixType::s4 || type == MatrixType::u4 || type == MatrixType::b1;
}

bool is_byte_float(MatrixType type) { return type == MatrixType::e4m3 || type == MatrixType::e5m2; }

bool is_small_float(MatrixType type) {
  return is_byte_float(type) || type == MatrixType::e3m2 || type == MatrixType::e2m3 ||
         type == MatrixType::e2m1_in_byte;
}

}  // namespace emulator::lower
