#include "cli/case/cheats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>

namespace autokernel::cli {
namespace {

using cases::DType;

constexpr int kThreads = 256;
// Elements that a block of a usual kernel writes.
constexpr int kBlock = 256;

// One way to damage an output of E elements of type T, called `out`; i counts threads from 0.
struct Damage {
  std::string name;
  std::string what;
  std::string statement;
  std::string remedy;
};

// How many bits behind the point the next smaller type keeps, as if a kernel had computed in that:
// f32 for f64; f16 or tf32 for f32; bf16 for f16; e4m3 for bf16; e5m2 for e4m3.
[[nodiscard]] int coarser_bits(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 23;
    case DType::f32:
      return 10;
    case DType::f16:
      return 7;
    case DType::bf16:
      return 3;
    case DType::e4m3:
      return 2;
    default:
      return 1;
  }
}

// More than rounding to the type and back could make of a value, and little enough to be a mistake.
[[nodiscard]] double scale_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
    case DType::f32:
    case DType::f16:
      return 1.01;
    case DType::bf16:
      return 1.03;
    default:
      return 1.5;
  }
}

// Rounds a `value` of type Wide, half away from zero.
[[nodiscard]] std::string rounding(DType dtype) {
  const int bits = coarser_bits(dtype);
  if (dtype == DType::f64) {
    return fmt::format(
        "long long u = __double_as_longlong(value); u += 1LL << {}; u &= ~0ULL << {}; out[i] = "
        "__longlong_as_double(u);",
        51 - bits, 52 - bits);
  }
  return fmt::format(
      "unsigned u = __float_as_uint(value); u += 1U << {}; u &= ~0U << {}; out[i] = "
      "static_cast<T>(__uint_as_float(u));",
      22 - bits, 23 - bits);
}

[[nodiscard]] std::vector<Damage> floating_damages(DType dtype) {
  const int bits = coarser_bits(dtype);
  const double rounding_error = std::ldexp(1.0, -(bits + 1));
  const double scale = scale_of(dtype);
  return {
      {"rounded", fmt::format("each element rounded to {} bits of mantissa", bits),
       "if (i < E) { const Wide value = static_cast<Wide>(out[i]); " + rounding(dtype) + " }",
       fmt::format("rounding so changes an element by up to {:.1e} of it: make `relative` smaller "
                   "than that, and `absolute` than that share of a usual element; or supply an "
                   "fp64_file, which limits the error of all elements together",
                   rounding_error)},
      {"scaled", fmt::format("each element times {}", scale),
       fmt::format("if (i < E) out[i] = static_cast<T>(static_cast<Wide>(out[i]) * Wide({}));",
                   scale),
       fmt::format("make `relative` smaller than {:.2g}, and `absolute` than that share of a usual "
                   "element",
                   scale - 1)}};
}

[[nodiscard]] std::vector<Damage> damages(DType dtype, std::uint64_t elements) {
  const bool floating = cases::is_floating(dtype);
  const std::string remedy =
      "`absolute` allows as much as the elements are: make it smaller, and see that inputs "
      "(`fill`, "
      "`low`, `high`) make outputs that differ";
  std::vector<Damage> all = {
      {"zeros", "each element 0", "if (i < E) out[i] = T(0);", remedy},
      {"last", "the last element wrong",
       floating ? "if (i == 0) out[E - 1] = static_cast<Wide>(out[E - 1]) == Wide(0) ? T(1) : T(0);"
       : dtype == DType::boolean ? "if (i == 0) out[E - 1] = !out[E - 1];"
                                 : "if (i == 0) out[E - 1] = static_cast<T>(out[E - 1] + 1);",
       floating
           ? remedy
           : "whole numbers have one right value: write exact = \"always\", or make `absolute` "
             "smaller than 1"}};
  if (floating) {
    for (Damage& each : floating_damages(dtype)) all.push_back(std::move(each));
  }
  if (elements < 2) return all;
  all.push_back({"swapped", "neighbours exchanged",
                 "if (2 * i + 1 < E) { const T first = out[2 * i]; out[2 * i] = out[2 * i + 1]; "
                 "out[2 * i + 1] = first; }",
                 remedy});
  all.push_back(
      {"constant", "each element the first one", "if (i > 0 && i < E) out[i] = out[0];", remedy});
  all.push_back({"block", "the last block a copy of the first",
                 fmt::format("const long long size = E / 2 < {0} ? E / 2 : {0}; if (i < size) "
                             "out[E - size + i] = out[i];",
                             kBlock),
                 remedy});
  return all;
}

// "N == 4096 ? 4096LL : ...": the elements of a tensor, from the sizes that it is compiled for.
[[nodiscard]] std::string elements_formula(const cases::Case& problem,
                                           const cases::Tensor& tensor) {
  std::string formula;
  for (const auto& [name, sizes] : problem.sizes) {
    std::vector<std::string> conditions;
    for (const auto& [symbol, value] : sizes) {
      conditions.push_back(fmt::format("{} == {}LL", symbol, value));
    }
    formula += fmt::format("{} ? {}LL : ", fmt::join(conditions, " && "),
                           cases::element_count(tensor, sizes));
  }
  return formula + "1LL";
}

// The header is included before its macro is replaced by one that adds a launch.
[[nodiscard]] std::string source_of(const cases::Case& problem, const cases::Tensor& tensor,
                                    const Damage& damage, const std::string& honest) {
  std::string source = fmt::format(
      "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_fp8.h>\n\n"
      "#include <autokernel.cuh>\n\n"
      "constexpr long long autokernel_elements = {};\n"
      "#undef AUTOKERNEL_LAUNCH\n"
      "#define AUTOKERNEL_LAUNCH(...) extern \"C\" __constant__ ::autokernel::Declaration "
      "autokernel_launch = {{.line = __LINE__, .launches = {{__VA_ARGS__, {{.kernel = "
      "\"autokernel_damage\", .grid = {{(autokernel_elements + {} - 1) / {}}}, .block = {{{}}}, "
      ".arguments = \"{}\"}}}}}}\n",
      elements_formula(problem, tensor), kThreads, kThreads, kThreads, tensor.name);
  source += honest;
  source += fmt::format(
      "\nextern \"C\" __global__ void autokernel_damage({}* out) {{\n"
      "  using T = {};\n  using Wide = {};\n  constexpr long long E = autokernel_elements;\n"
      "  const long long i = blockIdx.x * {}LL + threadIdx.x;\n  {}\n}}\n",
      cases::cpp_name(tensor.dtype), cases::cpp_name(tensor.dtype),
      tensor.dtype == DType::f64 ? "double" : "float", kThreads, damage.statement);
  return source;
}

}  // namespace

std::vector<Cheat> cheats(const cases::Case& problem, const std::string& honest) {
  std::vector<Cheat> all;
  for (const cases::Tensor& tensor : problem.tensors) {
    if (tensor.role == cases::Role::in) continue;
    const std::uint64_t elements = cases::element_count(tensor, problem.sizes.at("check"));
    for (const Damage& damage : damages(tensor.dtype, elements)) {
      all.push_back({.name = tensor.name + " " + damage.name,
                     .what = damage.what,
                     .source = source_of(problem, tensor, damage, honest),
                     .remedy = damage.remedy});
    }
  }
  return all;
}

}  // namespace autokernel::cli
