// What follows from a case once values are put in for its size symbols.
#include <fmt/format.h>

#include <cmath>

#include "autokernel/base/error.h"
#include "autokernel/cases/case.h"

namespace autokernel::cases {
namespace {

// No device holds a tensor of more than this, and products of extents below it stay far from
// overflow.
constexpr std::uint64_t kMostTensorBytes = 1ULL << 40;

std::int64_t extent(const Tensor& tensor, const char* what, const std::string& formula,
                    const Sizes& sizes) {
  const double value = evaluate(formula, sizes);
  if (value >= 1 && value <= static_cast<double>(kMostTensorBytes) && value == std::floor(value))
    return static_cast<std::int64_t>(value);
  throw Error(Stop::usage, fmt::format("the {} \"{}\" of tensor {} is {}; it must be a whole "
                                       "number from 1 to 2^40",
                                       what, formula, tensor.name, value));
}

// None where the types are the same at all sizes.
Types types_at(const Case& problem, const std::string& size) {
  const auto types = problem.types.find(size);
  return types == problem.types.end() ? Types{} : types->second;
}

double cost(const std::string& formula, const Case& problem, const std::string& size) {
  Sizes values = problem.sizes.at(size);
  for (const auto& [symbol, type] : types_at(problem, size))
    values[symbol] = static_cast<std::int64_t>(size_of(type));
  return evaluate(formula, values);
}

}  // namespace

double flops_at(const Case& problem, const std::string& size) {
  return cost(problem.flops, problem, size);
}
double bytes_at(const Case& problem, const std::string& size) {
  return cost(problem.bytes, problem, size);
}
double intensity_at(const Case& problem, const std::string& size) {
  return flops_at(problem, size) / bytes_at(problem, size);
}

std::vector<std::int64_t> extents(const Tensor& tensor, const Sizes& sizes) {
  std::vector<std::int64_t> result;
  result.reserve(tensor.shape.size());
  for (const std::string& dimension : tensor.shape)
    result.push_back(extent(tensor, "dimension", dimension, sizes));
  if (tensor.pitch.empty()) return result;
  const std::int64_t pitch = extent(tensor, "pitch", tensor.pitch, sizes);
  if (pitch < result.back()) {
    throw Error(Stop::usage,
                fmt::format("the pitch \"{}\" of tensor {} is {}, less than a row, which has {}",
                            tensor.pitch, tensor.name, pitch, result.back()));
  }
  result.back() = pitch;
  return result;
}

std::int64_t row_length(const Tensor& tensor, const Sizes& sizes) {
  return extent(tensor, "dimension", tensor.shape.back(), sizes);
}

std::uint64_t element_count(const Tensor& tensor, const Sizes& sizes) {
  const std::uint64_t most = kMostTensorBytes / size_of(tensor.dtype);
  std::uint64_t count = 1;
  for (const std::int64_t extent : extents(tensor, sizes)) {
    if (static_cast<std::uint64_t>(extent) > most / count) {
      throw Error(Stop::usage,
                  fmt::format("tensor {} would hold more than 2^40 bytes; choose smaller "
                              "sizes",
                              tensor.name));
    }
    count *= static_cast<std::uint64_t>(extent);
  }
  return count;
}

std::map<std::string, std::string> symbol_texts(const Case& problem, const std::string& size) {
  std::map<std::string, std::string> texts;
  for (const auto& [symbol, value] : problem.sizes.at(size)) texts[symbol] = std::to_string(value);
  for (const auto& [symbol, type] : types_at(problem, size)) texts[symbol] = spelling(type);
  return texts;
}

std::string problem_line(const Case& problem, const std::string& size) {
  const std::map<std::string, std::string> values = symbol_texts(problem, size);
  std::string line;
  std::size_t at = 0;
  while (at < problem.problem.size()) {
    const std::size_t open = problem.problem.find('{', at);
    line += problem.problem.substr(at, open - at);
    if (open == std::string::npos) break;
    const std::size_t close = problem.problem.find('}', open);
    const bool closed = close != std::string::npos;
    const std::string symbol =
        problem.problem.substr(open + 1, closed ? close - open - 1 : std::string::npos);
    const auto value = values.find(symbol);
    if (!closed || value == values.end()) {
      throw Error(
          Stop::usage,
          fmt::format("the problem line \"{}\" has {}; write a size symbol in braces",
                      problem.problem,
                      closed ? "the unknown symbol \"{" + symbol + "}\"" : "a { without }"));
    }
    line += value->second;
    at = close + 1;
  }
  return line;
}

}  // namespace autokernel::cases
