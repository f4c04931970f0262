// [check]: how near to right a result must be.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <set>

#include "cases/case_sections.h"

namespace autokernel::cases {
namespace {

// Whole numbers below this are exact in fp32, and so are sums of them in any order.
constexpr std::int64_t kExactInFloat = 1 << 24;

SumOfProducts read_sum(Section& check, const Case& problem) {
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
  require_only_output(check, problem, output);
  if (left.name == right.name) {
    check.fail("exact", fmt::format("is \"sum-of-products\", which takes two tensors, but left and "
                                    "right are both {}; write exact = \"never\"",
                                    left.name));
  }
  for (const auto& [name, sizes] : problem.sizes) {
    if (sizes.at(symbol) < kExactInFloat) continue;
    check.fail("sum_over",
               fmt::format("is \"{}\", which is {} at size \"{}\": sums are exact in "
                           "fp32 below 2^24 terms; choose a smaller size or write exact "
                           "= \"never\"",
                           symbol, sizes.at(symbol), name));
  }
  return {left.name, right.name, output.name, symbol};
}

void refuse_keys(Section& check, std::initializer_list<const char*> keys, const std::string& word) {
  for (const char* key : keys) {
    if (check.has(key)) {
      check.fail(key, fmt::format("does not apply to exact = \"{}\"; remove it", word));
    }
  }
}

// The types of what is written, at any size.
std::set<DType> output_types(const Case& problem) {
  std::set<DType> types;
  for (const std::string& size : size_names(problem)) {
    const Case typed = at_size(problem, size);
    for (const Tensor& tensor : typed.tensors) {
      if (tensor.role != Role::in) types.insert(tensor.dtype);
    }
  }
  return types;
}

// Of one key: a number for all types, or a table with one for each.
void read_bound(Section& check, const char* key, const Case& problem, double Tolerance::* bound,
                Correctness& correctness) {
  if (!check.is_table(key)) {
    correctness.tolerance.*bound = check.number(key, {.low = 0});
    for (auto& [type, tolerance] : correctness.tolerances)
      tolerance.*bound = correctness.tolerance.*bound;
    return;
  }
  Section by_type = check.section(key);
  by_type.rename(fmt::format("[check] {}", key));
  if (problem.types.empty())
    check.fail(key, "differs with the type, but no size chooses one; write one number");
  // All are known before one is missed.
  for (const auto& [type, tolerance] : correctness.tolerances)
    static_cast<void>(by_type.has(spelling(type)));
  for (auto& [type, tolerance] : correctness.tolerances)
    tolerance.*bound = by_type.number(spelling(type), {.low = 0});
  by_type.finish();
}

// One tolerance serves all tensors that are written.
void require_one_output_type(Section& check, const Case& problem) {
  for (const std::string& size : size_names(problem)) {
    const Case typed = at_size(problem, size);
    const Tensor* first = nullptr;
    for (const Tensor& tensor : typed.tensors) {
      if (tensor.role == Role::in) continue;
      if (first == nullptr) first = &tensor;
      if (tensor.dtype == first->dtype) continue;
      check.fail(fmt::format(
          "gives bounds by type, but at size \"{}\" {} is {} and {} is {}; "
          "write one number for both",
          size, first->name, spelling(first->dtype), tensor.name, spelling(tensor.dtype)));
    }
  }
}

void read_tolerance(Section& check, const Case& problem, Correctness& correctness) {
  const bool is_by_type = check.is_table("absolute") || check.is_table("relative");
  if (is_by_type && !problem.types.empty()) {
    require_one_output_type(check, problem);
    for (const DType type : output_types(problem)) correctness.tolerances[type] = {};
  }
  read_bound(check, "absolute", problem, &Tolerance::absolute, correctness);
  read_bound(check, "relative", problem, &Tolerance::relative, correctness);
  for (const Tensor& tensor : problem.tensors) {
    const auto own = correctness.tolerances.find(tensor.dtype);
    if (tensor.role != Role::in && own != correctness.tolerances.end())
      correctness.tolerance = own->second;
  }
}

void require_no_own_tolerance(Section& check, const Case& problem, const std::string& word) {
  for (const Tensor& tensor : problem.tensors) {
    if (!tensor.tolerance) continue;
    check.fail("exact", fmt::format("is \"{}\", but [[tensor]] {} has bounds of its own, which go "
                                    "with \"never\" only",
                                    word, tensor.name));
  }
}

// Zeros may be written: they say the same.
void require_no_tolerance(Section& check) {
  for (const char* key : {"absolute", "relative"}) {
    if (check.has(key) && check.number(key, {.low = 0}) != 0) {
      check.fail(key,
                 "does not apply to exact = \"always\", which allows no difference; remove it");
    }
  }
}

}  // namespace

Correctness read_correctness(Section& check, const Case& problem) {
  const std::string word = check.word("exact", {"never", "always", "sum-of-products"});
  const auto* kernel = std::get_if<KernelReference>(&problem.reference);
  const bool has_fp64 = kernel != nullptr && !kernel->fp64_file.empty();
  if (has_fp64 && word != "never") {
    check.fail("exact", fmt::format("is \"{}\", but [reference] has an fp64_file, which is for "
                                    "results that cannot be exact; write \"never\" or remove it",
                                    word));
  }
  const bool has_scalars = std::ranges::any_of(problem.tensors, &Tensor::is_scalar);
  if (word == "sum-of-products" && has_scalars) {
    check.fail("exact",
               "is \"sum-of-products\", but with a [[scalar]] no inputs are known on which that is "
               "exact; write \"never\" or \"always\"");
  }
  Correctness correctness;
  if (word == "sum-of-products") {
    require_no_own_tolerance(check, problem, word);
    correctness.exactness = read_sum(check, problem);
    read_tolerance(check, problem, correctness);
    return correctness;
  }
  refuse_keys(check, {"sum_over", "left", "right", "output"}, word);
  if (word == "never") {
    correctness.exactness = NotExact{};
    read_tolerance(check, problem, correctness);
    return correctness;
  }
  if (std::holds_alternative<GemmReference>(problem.reference)) {
    check.fail("exact",
               "is \"always\", but a matrix product depends on the order of its sums; write "
               "\"sum-of-products\" or \"never\"");
  }
  require_no_own_tolerance(check, problem, word);
  require_no_tolerance(check);
  return {ExactAlways{}, {}, {}};
}

}  // namespace autokernel::cases
