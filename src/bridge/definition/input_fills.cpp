#include "bridge/definition/input_fills.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

namespace autokernel::bridge {
namespace {

using Words = std::vector<std::string_view>;

[[nodiscard]] WrittenFill between(const std::string& low, const std::string& high) {
  return {.name = "uniform", .low = low, .high = high};
}
[[nodiscard]] WrittenFill whole_numbers(int low, int high) {
  return {.name = "integers", .low = std::to_string(low), .high = std::to_string(high)};
}
[[nodiscard]] WrittenFill normal() { return {.name = "normal"}; }

[[nodiscard]] bool is_one_of(std::string_view name, const Words& words) {
  return std::ranges::find(words, name) != words.end();
}
[[nodiscard]] bool ends_with_one_of(std::string_view name, const Words& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return name.ends_with(word); });
}

// "weight2" is a weight as well.
[[nodiscard]] std::string_view without_number(std::string_view name) {
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return name;
}

[[nodiscard]] bool is_of_a_norm(std::string_view name, std::string_view what) {
  if (!name.ends_with(what)) return false;
  name.remove_suffix(what.size());
  return ends_with_one_of(without_number(name), {"norm"});
}

// By the name of the input, as SOL-ExecBench's generator goes by it
// (src/sol_execbench/core/bench/io.py). A constant is drawn around its value: a kernel could leave
// the input unread otherwise.
[[nodiscard]] std::optional<RandomFill> fill_by_name(const DefinedTensor& tensor,
                                                     const std::vector<std::string>& shape) {
  const std::string_view name = tensor.name;
  if (is_of_a_norm(name, "_weight"))
    return RandomFill{between("0.5", "1.5"),
                      "it is 1 in the benchmark, and drawn around that here"};
  if (is_of_a_norm(name, "_bias"))
    return RandomFill{between("-0.5", "0.5"),
                      "it is 0 in the benchmark, and drawn around that here"};
  if (shape.size() >= 2 && is_one_of(name, {"attention_mask", "causal_mask"})) {
    return RandomFill{normal(),
                      "in the benchmark it is 0, and the least number above the diagonal; here "
                      "normal numbers are added"};
  }
  if (is_one_of(name, {"x_mask", "text_mask", "aspect_ratio_mask", "drop_mask"}))
    return RandomFill{whole_numbers(0, 1), ""};
  if (is_one_of(name, {"cos", "cos_cached", "rope_cos", "sin", "sin_cached", "rope_sin"}))
    return RandomFill{between("-1.0", "1.0"), ""};
  if (is_one_of(without_number(name), {"rstd", "std", "variance", "var"}) ||
      ends_with_one_of(without_number(name), {"_rstd", "_std", "_variance", "_var"})) {
    return RandomFill{between("0.1", "3.0"), ""};
  }
  if (name == "A") return RandomFill{between("-1.0", "-0.001"), ""};
  if (name == "A_log") return RandomFill{between("-5.0", "-1.0"), ""};
  if (name == "g") return RandomFill{between("-5.0", "0.0"), ""};
  if (name == "A_cumsum") {
    return RandomFill{between("-5.0", "0.0"),
                      "in the benchmark it is a running sum of numbers from -0.1 to 0"};
  }
  if (is_one_of(name, {"attn_weights", "attention_weights", "routing_weights"})) {
    return RandomFill{between("0.0", fmt::format("\"2/({})\"", shape.back())),
                      "in the benchmark its rows have the sum 1"};
  }
  const bool is_matrix =
      shape.size() >= 2 && (without_number(name) == "weight" ||
                            ends_with_one_of(without_number(name), {"_weight", "_weights", "_proj",
                                                                    "_projs", "_weight_matrix"}));
  // A uniform distribution of that width has the deviation 1 / sqrt(columns) of the benchmark's.
  if (is_matrix) {
    return RandomFill{between(fmt::format("\"-((3/({})) ^ 0.5)\"", shape.back()),
                              fmt::format("\"(3/({})) ^ 0.5\"", shape.back())),
                      ""};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> case_dtype(const std::string& torch_dtype) {
  static const std::map<std::string, std::string, std::less<>> known = {
      {"float64", "f64"},
      {"float32", "f32"},
      {"float16", "f16"},
      {"bfloat16", "bf16"},
      {"float8_e4m3fn", "e4m3"},
      {"float8_e5m2", "e5m2"},
      {"float4_e2m1fn_x2", "e2m1x2"},
      {"int64", "i64"},
      {"int32", "i32"},
      {"int16", "i16"},
      {"int8", "i8"},
      {"uint8", "u8"},
      {"bool", "bool"},
  };
  const auto found = known.find(torch_dtype);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

std::string stored_dtype(const std::string& dtype) {
  static const std::map<std::string, std::string, std::less<>> known = {
      {"f64", "F64"}, {"f32", "F32"},   {"f16", "F16"},      {"bf16", "BF16"},
      {"i64", "I64"}, {"i32", "I32"},   {"i16", "I16"},      {"i8", "I8"},
      {"u8", "U8"},   {"bool", "BOOL"}, {"e4m3", "F8_E4M3"}, {"e5m2", "F8_E5M2"}};
  const auto found = known.find(dtype);
  return found == known.end() ? "" : found->second;
}

RandomFill random_fill(const DefinedTensor& tensor, const std::string& dtype,
                       const std::vector<std::string>& shape, TraceFormat format) {
  if (dtype == "bool") return {whole_numbers(0, 1), ""};
  if (dtype == "e2m1x2" || dtype == "u8") return {whole_numbers(0, 255), ""};
  if (dtype == "i8") return {whole_numbers(-128, 127), ""};
  // As both benchmarks draw them.
  if (!is_floating_dtype(dtype)) {
    return {whole_numbers(-1024, 1023),
            "whole numbers from -1024 to 1023, as the benchmark draws them: no indices"};
  }
  const bool is_narrow = dtype == "e4m3" || dtype == "e5m2";
  if (format == TraceFormat::sol_execbench && !is_narrow) {
    if (auto fill = fill_by_name(tensor, shape)) return *std::move(fill);
  }
  return {normal(), ""};
}

}  // namespace autokernel::bridge
