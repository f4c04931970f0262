// How a result is judged: the reference it is compared with and how exact it must be.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "autokernel/base/error.h"
#include "cases/dtype.h"
#include "cases/names.h"
#include "cases/parts.h"

namespace autokernel::cases {
namespace {

const char* spelling_of(Role role) {
  switch (role) {
    case Role::in:
      return "in";
    case Role::out:
      return "out";
    case Role::inout:
      return "inout";
  }
  return "?";
}

// Extents without the dimension that is summed over.
std::vector<std::int64_t> product_extents(const std::vector<std::int64_t>& left,
                                          const std::vector<std::int64_t>& right) {
  std::vector<std::int64_t> all(left.begin(), left.end() - 1);
  all.insert(all.end(), right.begin() + 1, right.end());
  return all;
}

std::string listed(const std::vector<std::int64_t>& extents) {
  return fmt::format("[{}]", fmt::join(extents, ","));
}

GemmReference read_gemm(Section& section, const Case& problem) {
  const Tensor& left = named_tensor(section, "left", problem, Role::in);
  const Tensor& right = named_tensor(section, "right", problem, Role::in);
  const Tensor& output = named_tensor(section, "output", problem, Role::out);
  for (const Tensor* tensor : {&left, &right, &output}) {
    if (tensor->shape.size() != 2) {
      section.fail(
          fmt::format("kind \"cublas_gemm\" multiplies matrices, but tensor {} has {} "
                      "dimensions; use kind \"kernel\" with a reference.cu",
                      tensor->name, tensor->shape.size()));
    }
  }
  require_product(section, problem, left, right, output);
  return {left.name, right.name, output.name};
}

KernelReference read_kernel(Section& section) {
  const std::filesystem::path file = section.text("file");
  const bool inside = file.is_relative() &&
                      std::ranges::none_of(file, [](const auto& part) { return part == ".."; });
  if (!inside || file.extension() != ".cu" || file.lexically_normal() == "kernel.cu") {
    section.fail("file",
                 fmt::format("is \"{}\"; write a .cu file in the folder of the case, other than "
                             "kernel.cu, such as \"reference.cu\"",
                             file.string()));
  }
  return {file};
}

}  // namespace

const Tensor& named_tensor(Section& section, const std::string& key, const Case& problem,
                           Role role) {
  std::vector<std::string> names;
  names.reserve(problem.tensors.size());
  for (const Tensor& tensor : problem.tensors) names.push_back(tensor.name);
  const Tensor& tensor = problem.tensor(section.word(key, names));
  if (tensor.role != role) {
    section.fail(key, fmt::format(R"(is "{}", a tensor of role "{}"; name one of role "{}")",
                                  tensor.name, spelling_of(tensor.role), spelling_of(role)));
  }
  return tensor;
}

void require_product(const Section& section, const Case& problem, const Tensor& left,
                     const Tensor& right, const Tensor& output) {
  if (left.dtype != right.dtype || !is_floating(left.dtype) || !is_floating(output.dtype)) {
    section.fail(
        fmt::format("{} is {}, {} is {} and {} is {}; a matrix product takes two tensors of one "
                    "type among f32, f16 and bf16, and gives one of these",
                    left.name, spelling(left.dtype), right.name, spelling(right.dtype), output.name,
                    spelling(output.dtype)));
  }
  for (const auto& [name, sizes] : problem.sizes) {
    const std::vector<std::int64_t> a = extents(left, sizes);
    const std::vector<std::int64_t> b = extents(right, sizes);
    const std::vector<std::int64_t> c = extents(output, sizes);
    if (a.back() != b.front() || product_extents(a, b) != c) {
      section.fail(
          fmt::format("{} {} x {} {} does not give {} {} (at size \"{}\"); mend the shapes",
                      left.name, listed(a), right.name, listed(b), output.name, listed(c), name));
    }
  }
}

Reference read_reference(Section& root, const Case& problem) {
  Section section = root.section("reference");
  Reference reference;
  if (section.word("kind", {"cublas_gemm", "kernel"}) == "cublas_gemm") {
    reference = read_gemm(section, problem);
  } else {
    reference = read_kernel(section);
  }
  section.finish();
  return reference;
}

Exactness read_exactness(Section& check, const Case& problem) {
  const std::string word = check.word("exact", {"never", "always", "sum-of-products"});
  if (word != "sum-of-products") {
    for (const char* key : {"sum_over", "left", "right", "output"}) {
      if (check.has(key)) {
        check.fail(key, fmt::format("does not apply to exact = \"{}\"; remove it", word));
      }
    }
    if (word == "never") return NotExact{};
    return ExactAlways{};
  }
  const auto* gemm = std::get_if<GemmReference>(&problem.reference);
  const auto tensor = [&](const std::string& key, const std::string GemmReference::* of_reference,
                          Role role) -> const Tensor& {
    if (gemm != nullptr && !check.has(key)) return problem.tensor(gemm->*of_reference);
    return named_tensor(check, key, problem, role);
  };
  const Tensor& left = tensor("left", &GemmReference::left, Role::in);
  const Tensor& right = tensor("right", &GemmReference::right, Role::in);
  const Tensor& output = tensor("output", &GemmReference::output, Role::out);
  std::vector<std::string> symbols;
  for (const auto& [symbol, value] : problem.sizes.at("default")) symbols.push_back(symbol);
  const std::string symbol = check.word("sum_over", symbols);
  if (left.shape.back() != symbol || right.shape.front() != symbol) {
    check.fail(
        "sum_over",
        fmt::format(
            R"(is "{}"; name the last dimension of {} ("{}"), which is the first of {} ("{}"))",
            symbol, left.name, left.shape.back(), right.name, right.shape.front()));
  }
  require_product(check, problem, left, right, output);
  return SumOfProducts{left.name, right.name, output.name, symbol};
}

}  // namespace autokernel::cases
