#include "trial/inputs/recipe.h"

#include <cmath>
#include <variant>

namespace autokernel::trial {
namespace {

void change(Recipe& recipe, InputKind input_kind, const Scaling& by, const Key& key) {
  switch (input_kind) {
    case InputKind::declared:
    case InputKind::exact:
      return;
    case InputKind::very_large:
    case InputKind::very_small:
      recipe.change = Recipe::Change::times;
      recipe.factor = std::ldexp(1.0F, input_kind == InputKind::very_large ? by.large : -by.small);
      return;
    case InputKind::mixed:
      recipe.change = Recipe::Change::mixed;
      recipe.spread = static_cast<std::uint32_t>(by.spread);
      return;
    case InputKind::zeros:
      recipe.change = Recipe::Change::constant;
      recipe.factor = 0;
      return;
    case InputKind::constant: {
      recipe.change = Recipe::Change::constant;
      const std::uint32_t choice =
          philox({0, 0, recipe.index, static_cast<std::uint32_t>(Purpose::choices)}, key)[0];
      // Of four bits, [0.5, 1): a sum of 65,536 equal products is exact in fp32. With more of them,
      // each addition of a plain sum is rounded the same way, and a right kernel is off by a part
      // in 10,000 after 8,192.
      recipe.factor = 0.5F + static_cast<float>(choice >> 29U) * 0x1p-4F;
      return;
    }
  }
}

}  // namespace

Recipe recipe_of(const SizedCase& sized, std::size_t index, InputKind input_kind, const Key& key) {
  const SizedTensor& tensor = sized.tensors[index];
  Recipe recipe;
  recipe.index = static_cast<std::uint32_t>(index);
  recipe.dtype = tensor.tensor->dtype;
  recipe.declared = tensor.fill;
  recipe.row_length = static_cast<std::uint64_t>(tensor.extents.back());
  const auto* product = std::get_if<cases::SumOfProducts>(&sized.problem->exactness);
  if (input_kind == InputKind::exact && product != nullptr) {
    const std::string& name = tensor.tensor->name;
    if (name == product->left) recipe.whole = factors(sized, *product, key).left;
    if (name == product->right) recipe.whole = factors(sized, *product, key).right;
  }
  // An integer tensor has its declared range and no other, which may not even hold zero. A scalar
  // is what the problem is about: with another one it would be another problem.
  // Captured values stay in the range that they have, too.
  const bool is_captured = tensor.fill.distribution == cases::Distribution::captured;
  recipe.use = input_kind == InputKind::declared ? tensor.fill.use : cases::CapturedUse::kept;
  recipe.set = key.words[1];
  const bool is_stressed =
      is_floating(tensor.tensor->dtype) && !tensor.tensor->is_scalar && !is_captured;
  if (is_stressed) change(recipe, input_kind, scaling(sized), key);
  return recipe;
}

UniformRange uniform_range(cases::DType dtype, const cases::Fill& fill) {
  if (dtype == cases::DType::f64) return {fill.low, fill.high - fill.low};
  const auto low = static_cast<float>(fill.low);
  return {static_cast<double>(low), static_cast<double>(static_cast<float>(fill.high) - low)};
}

IntegerRange integer_range(const cases::Fill& fill) {
  const auto first = static_cast<std::int64_t>(fill.low);
  return {first, static_cast<std::uint64_t>(static_cast<std::int64_t>(fill.high) - first + 1)};
}

}  // namespace autokernel::trial
