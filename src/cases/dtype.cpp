#include "cases/dtype.h"

#include <array>
#include <limits>

#include "autokernel/base/error.h"

namespace autokernel::cases {
namespace {

constexpr std::array kDTypes = {DType::f32, DType::f16, DType::bf16, DType::i32, DType::u8};

}  // namespace

std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
    case DType::i32:
      return 4;
    case DType::f16:
    case DType::bf16:
      return 2;
    case DType::u8:
      return 1;
  }
  return 0;
}

const char* spelling(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "f32";
    case DType::f16:
      return "f16";
    case DType::bf16:
      return "bf16";
    case DType::i32:
      return "i32";
    case DType::u8:
      return "u8";
  }
  return "?";
}

const char* long_name(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "float32";
    case DType::f16:
      return "float16";
    case DType::bf16:
      return "bfloat16";
    case DType::i32:
      return "int32";
    case DType::u8:
      return "uint8";
  }
  return "?";
}

bool is_floating(DType dtype) { return dtype != DType::i32 && dtype != DType::u8; }

std::vector<std::string> dtype_spellings() {
  std::vector<std::string> words;
  words.reserve(kDTypes.size());
  for (const DType dtype : kDTypes) words.emplace_back(spelling(dtype));
  return words;
}

DType dtype_from(const std::string& text) {
  for (const DType dtype : kDTypes) {
    if (text == spelling(dtype)) return dtype;
  }
  throw Error(Stop::internal, "cannot read the dtype \"" + text + "\": it is unknown");
}

WholeNumbers whole_numbers_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return {-(1 << 24), 1 << 24};
    case DType::f16:
      return {-(1 << 11), 1 << 11};
    case DType::bf16:
      return {-(1 << 8), 1 << 8};
    case DType::i32:
      return {-2147483648.0, 2147483647.0};
    case DType::u8:
      return {0, 255};
  }
  return {0, 0};
}

double largest_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return static_cast<double>(std::numeric_limits<float>::max());
    case DType::f16:
      return 65504;
    case DType::bf16:
      return 0x1.FEp127;
    case DType::i32:
    case DType::u8:
      return whole_numbers_of(dtype).high;
  }
  return 0;
}

}  // namespace autokernel::cases
