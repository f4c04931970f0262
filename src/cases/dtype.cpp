#include "cases/dtype.h"

#include <algorithm>
#include <array>
#include <limits>

#include "autokernel/base/error.h"

namespace autokernel::cases {
namespace {

enum class Kind : std::uint8_t { floating, whole };

struct Properties {
  DType dtype;
  const char* spelling;
  const char* long_name;
  const char* cpp_name;
  std::size_t bytes;
  Kind kind;
  WholeNumbers whole;  // that it holds, with all between
  double largest;      // finite value
};

// A double, in which bounds are read, holds whole numbers up to here.
constexpr double kMostInDouble = 0x1p53;

// As messages list them.
constexpr std::array kTypes = {
    Properties{DType::f64,
               "f64",
               "float64",
               "double",
               8,
               Kind::floating,
               {-kMostInDouble, kMostInDouble},
               std::numeric_limits<double>::max()},
    Properties{DType::f32,
               "f32",
               "float32",
               "float",
               4,
               Kind::floating,
               {-0x1p24, 0x1p24},
               0x1.fffffep127},
    Properties{DType::f16, "f16", "float16", "__half", 2, Kind::floating, {-0x1p11, 0x1p11}, 65504},
    Properties{DType::bf16,
               "bf16",
               "bfloat16",
               "__nv_bfloat16",
               2,
               Kind::floating,
               {-0x1p8, 0x1p8},
               0x1.fep127},
    Properties{DType::e4m3,
               "e4m3",
               "float8_e4m3",
               "__nv_fp8_e4m3",
               1,
               Kind::floating,
               {-0x1p4, 0x1p4},
               448},
    Properties{DType::e5m2,
               "e5m2",
               "float8_e5m2",
               "__nv_fp8_e5m2",
               1,
               Kind::floating,
               {-0x1p3, 0x1p3},
               57344},
    Properties{DType::i64,
               "i64",
               "int64",
               "long long",
               8,
               Kind::whole,
               {-kMostInDouble, kMostInDouble},
               kMostInDouble},
    Properties{
        DType::i32, "i32", "int32", "int", 4, Kind::whole, {-0x1p31, 0x1p31 - 1}, 0x1p31 - 1},
    Properties{DType::i16, "i16", "int16", "short", 2, Kind::whole, {-32768, 32767}, 32767},
    Properties{DType::i8, "i8", "int8", "signed char", 1, Kind::whole, {-128, 127}, 127},
    Properties{
        DType::u32, "u32", "uint32", "unsigned", 4, Kind::whole, {0, 0x1p32 - 1}, 0x1p32 - 1},
    Properties{DType::u8, "u8", "uint8", "unsigned char", 1, Kind::whole, {0, 255}, 255},
    Properties{DType::boolean, "bool", "bool", "bool", 1, Kind::whole, {0, 1}, 1},
};
static_assert(kTypes.size() == static_cast<std::size_t>(kLastDType) + 1);

// e2m1 and e8m0: OCP's "Microscaling formats (MX) specification", revision 1.0.
constexpr std::array kAliases = {
    ElementAlias{"complex64", DType::f32, "float2", 2},
    ElementAlias{"e2m1x2", DType::u8, "__nv_fp4x2_e2m1", 1},
    ElementAlias{"e8m0", DType::u8, "__nv_fp8_e8m0", 1},
};

[[nodiscard]] const Properties& properties_of(DType dtype) {
  const auto* const found = std::ranges::find(kTypes, dtype, &Properties::dtype);
  if (found == kTypes.end()) throw Error(Stop::internal, "there is no such dtype");
  return *found;
}

}  // namespace

std::size_t size_of(DType dtype) { return properties_of(dtype).bytes; }
const char* spelling(DType dtype) { return properties_of(dtype).spelling; }
const char* long_name(DType dtype) { return properties_of(dtype).long_name; }
const char* cpp_name(DType dtype) { return properties_of(dtype).cpp_name; }
bool is_floating(DType dtype) { return properties_of(dtype).kind == Kind::floating; }
bool fits_float(DType dtype) {
  return is_floating(dtype) ? size_of(dtype) <= sizeof(float) : size_of(dtype) < sizeof(float);
}

const ElementAlias* alias_spelled(const std::string& text) {
  const auto* const found = std::ranges::find_if(
      kAliases, [&](const ElementAlias& alias) { return text == alias.spelling; });
  return found == kAliases.end() ? nullptr : found;
}

std::vector<std::string> alias_spellings() {
  std::vector<std::string> words;
  words.reserve(kAliases.size());
  for (const ElementAlias& alias : kAliases) words.emplace_back(alias.spelling);
  return words;
}

std::vector<std::string> dtype_spellings() {
  std::vector<std::string> words;
  words.reserve(kTypes.size());
  for (const Properties& type : kTypes) words.emplace_back(type.spelling);
  return words;
}

DType dtype_from(const std::string& text) {
  for (const Properties& type : kTypes) {
    if (text == type.spelling) return type.dtype;
  }
  throw Error(Stop::internal, "cannot read the dtype \"" + text + "\": it is unknown");
}

WholeNumbers whole_numbers_of(DType dtype) { return properties_of(dtype).whole; }
double largest_of(DType dtype) { return properties_of(dtype).largest; }

bool is_factor_type(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16;
}

}  // namespace autokernel::cases
