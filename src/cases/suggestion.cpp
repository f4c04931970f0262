#include "cases/suggestion.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "autokernel/cases/names.h"

namespace autokernel::cases {
namespace {

// Too far from what they mean for a typing mistake. Letters and digits in lower case alone count,
// so that "sum_of_products", "Sum of products" and "sumOfProducts" are one word.
struct Synonym {
  std::string_view written;
  std::string_view meant;
};
constexpr auto kSynonyms = std::to_array<Synonym>({
    // Roles.
    {"input", "in"},
    {"inputs", "in"},
    {"read", "in"},
    {"readonly", "in"},
    {"const", "in"},
    {"output", "out"},
    {"outputs", "out"},
    {"write", "out"},
    {"writeonly", "out"},
    {"result", "out"},
    {"inputoutput", "inout"},
    {"readwrite", "inout"},
    {"inplace", "inout"},
    {"io", "inout"},
    // Types.
    {"float", "f32"},
    {"float32", "f32"},
    {"fp32", "f32"},
    {"single", "f32"},
    {"half", "f16"},
    {"float16", "f16"},
    {"fp16", "f16"},
    {"bfloat16", "bf16"},
    {"bfloat", "bf16"},
    {"int", "i32"},
    {"int32", "i32"},
    {"s32", "i32"},
    {"uint8", "u8"},
    {"byte", "u8"},
    {"uchar", "u8"},
    {"double", "f64"},
    {"float64", "f64"},
    {"fp64", "f64"},
    {"float8e4m3", "e4m3"},
    {"float8e4m3fn", "e4m3"},
    {"fp8e4m3", "e4m3"},
    {"fp8", "e4m3"},
    {"float8e5m2", "e5m2"},
    {"fp8e5m2", "e5m2"},
    {"fp4", "e2m1x2"},
    {"float4", "e2m1x2"},
    {"e2m1", "e2m1x2"},
    {"fp4e2m1", "e2m1x2"},
    {"float4e2m1fn", "e2m1x2"},
    {"nvfp4", "e2m1x2"},
    {"mxfp4", "e2m1x2"},
    {"ue8m0", "e8m0"},
    {"float8e8m0", "e8m0"},
    {"float8e8m0fnu", "e8m0"},
    {"complex", "complex64"},
    {"cfloat", "complex64"},
    {"float2", "complex64"},
    {"int64", "i64"},
    {"long", "i64"},
    {"int16", "i16"},
    {"short", "i16"},
    {"int8", "i8"},
    {"char", "i8"},
    {"uint32", "u32"},
    {"unsigned", "u32"},
    {"uint", "u32"},
    {"boolean", "bool"},
    // Fills.
    {"gaussian", "normal"},
    {"gauss", "normal"},
    {"randn", "normal"},
    {"rand", "uniform"},
    {"random", "uniform"},
    {"int", "integers"},
    {"ints", "integers"},
    {"whole", "integers"},
    {"randint", "integers"},
    // Exactness.
    {"sum", "sum-of-products"},
    {"gemm", "sum-of-products"},
    {"dot", "sum-of-products"},
    {"exact", "always"},
    {"true", "always"},
    {"yes", "always"},
    {"bitwise", "always"},
    {"false", "never"},
    {"no", "never"},
    {"approximate", "never"},
    // References.
    {"cublas", "cublas_gemm"},
    {"gemm", "cublas_gemm"},
    {"matmul", "cublas_gemm"},
    {"openblas", "cublas_gemm"},
    {"cuda", "kernel"},
    {"file", "kernel"},
    {"cu", "kernel"},
    // Keys and sections.
    {"type", "dtype"},
    {"datatype", "dtype"},
    {"dims", "shape"},
    {"dimensions", "shape"},
    {"size", "shape"},
    {"direction", "role"},
    {"mode", "role"},
    {"access", "role"},
    {"init", "fill"},
    {"distribution", "fill"},
    {"min", "low"},
    {"lower", "low"},
    {"max", "high"},
    {"upper", "high"},
    {"atol", "absolute"},
    {"rtol", "relative"},
    {"a", "left"},
    {"lhs", "left"},
    {"b", "right"},
    {"rhs", "right"},
    {"c", "output"},
    {"out", "output"},
    {"reduction", "sum_over"},
    {"reduce", "sum_over"},
    {"path", "file"},
    {"source", "file"},
    {"ops", "flops"},
    {"memory", "bytes"},
    {"traffic", "bytes"},
    {"iterations", "samples"},
    {"iters", "samples"},
    {"repeats", "samples"},
    {"timeout", "cap_seconds"},
    {"cap", "cap_seconds"},
    {"title", "name"},
    {"description", "problem"},
    {"tensors", "tensor"},
    {"tolerance", "check"},
    {"tolerances", "check"},
    {"ref", "reference"},
    {"baseline", "baselines"},
    {"baseline", "reference"},
    {"shapes", "sizes"},
    {"size", "sizes"},
    {"benchmark", "timing"},
    {"bench", "timing"},
});

std::string plain(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) letters += c;
  }
  return letters;
}

}  // namespace

std::optional<std::string> suggestion(const std::string& text,
                                      const std::vector<std::string>& candidates) {
  const std::string written = plain(text);
  for (const std::string& candidate : candidates) {
    if (!written.empty() && written == plain(candidate)) return candidate;
  }
  for (const Synonym& synonym : kSynonyms) {
    if (synonym.written != written) continue;
    const auto found = std::ranges::find(candidates, synonym.meant);
    if (found != candidates.end()) return *found;
  }
  return nearest(text, candidates);
}

}  // namespace autokernel::cases
