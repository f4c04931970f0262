#include "trial/check/product_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <variant>

#include "trial/check/reference.h"
#include "trial/inputs/philox.h"

namespace autokernel::trial {
namespace {

// A patch of so many elements: 6 in 100 of them, which is what inputs of eight bits misround, are
// many more than chance brings about, in a single launch.
constexpr std::int64_t kPatchRows = 16;
constexpr std::int64_t kPatchColumns = 32;
// So many launches are looked at closely. Together they show one element in a hundred.
constexpr std::size_t kMostProductLaunches = 16;
// Products worked out for all of them: a tenth of a second of one processor.
constexpr double kMostProducts = 64e6;

[[nodiscard]] std::mt19937_64 unforeseeable() {
  const Key key = draw_key();
  std::seed_seq seed(key.words.begin(), key.words.end());
  return std::mt19937_64(seed);
}

[[nodiscard]] std::size_t launches_to_sample(const LaunchRecord& launch) {
  const auto* product = std::get_if<cases::SumOfProducts>(&launch.sized->problem->exactness);
  if (product == nullptr) return 0;
  const Product shape = product_of(*launch.sized, product->left, product->right);
  const double each = static_cast<double>(std::min(shape.rows, kPatchRows)) *
                      static_cast<double>(std::min(shape.columns, kPatchColumns)) *
                      static_cast<double>(shape.depth);
  return std::clamp<std::size_t>(static_cast<std::size_t>(kMostProducts / each), 1,
                                 kMostProductLaunches);
}

[[nodiscard]] std::vector<std::byte> elements_of(const Bytes& tensor, cases::DType dtype,
                                                 const Product& shape, const Patch& patch) {
  const std::size_t element = cases::size_of(dtype);
  std::vector<std::byte> elements;
  for (std::int64_t row = patch.first_row; row < patch.first_row + patch.rows; ++row) {
    const auto first = static_cast<std::size_t>(row * shape.columns + patch.first_column) * element;
    const auto part =
        std::span(tensor).subspan(first, static_cast<std::size_t>(patch.columns) * element);
    elements.insert(elements.end(), part.begin(), part.end());
  }
  return elements;
}

[[nodiscard]] Rejection rejected(const SizedTensor& output, const std::string& complaint,
                                 const std::string& occasion) {
  return {Verdict::incorrect,
          fmt::format("{} is not as accurate as a sum in fp32: {} ({})", output.tensor->name,
                      complaint, occasion),
          ""};
}

}  // namespace

ProductCheck::ProductCheck(const std::vector<const LaunchRecord*>& launches)
    : random_(unforeseeable()) {
  std::ranges::copy_if(
      launches, std::back_inserter(sampled_launches_),
      [](const LaunchRecord* launch) { return launch->input_kind == InputKind::declared; });
  std::ranges::shuffle(sampled_launches_, random_);
  if (sampled_launches_.empty()) return;
  const std::size_t wanted = launches_to_sample(*sampled_launches_.front());
  sampled_launches_.resize(std::min(sampled_launches_.size(), wanted));
}

Misrounding ProductCheck::sample(const LaunchRecord& launch, const cases::SumOfProducts& product,
                                 const std::vector<Bytes>& inputs,
                                 const std::vector<Bytes>& expected) {
  const SizedCase& sized = *launch.sized;
  const Product shape = product_of(sized, product.left, product.right);
  Patch patch{.rows = std::min(shape.rows, kPatchRows),
              .columns = std::min(shape.columns, kPatchColumns)};
  const auto anywhere = [&](std::int64_t last) {
    return std::uniform_int_distribution<std::int64_t>(0, last)(random_);
  };
  patch.first_row = anywhere(shape.rows - patch.rows);
  patch.first_column = anywhere(shape.columns - patch.columns);
  const auto matrix = [&](const std::string& name) {
    const std::size_t index = sized.index_of(name);
    return Matrix{sized.tensors[index].tensor->dtype, inputs[index]};
  };
  const PatchValues values =
      multiply_patch(shape, matrix(product.left), matrix(product.right), patch);
  for (const double magnitude : values.magnitudes) squared_magnitudes_ += magnitude * magnitude;
  magnitudes_ += values.magnitudes.size();
  const std::size_t output = sized.index_of(product.output);
  const cases::DType dtype = output_->tensor->dtype;
  return misrounding_of(dtype, elements_of(launch.outputs[output], dtype, shape, patch),
                        elements_of(expected[output], dtype, shape, patch), values);
}

std::optional<Rejection> ProductCheck::look(const LaunchRecord& launch,
                                            const std::vector<Bytes>& inputs,
                                            const std::vector<Bytes>& expected) {
  const SizedCase& sized = *launch.sized;
  const auto* product = std::get_if<cases::SumOfProducts>(&sized.problem->exactness);
  if (product == nullptr || launch.input_kind != InputKind::declared || !is_plain_product_) {
    return std::nullopt;
  }
  const std::size_t output = sized.index_of(product->output);
  output_ = &sized.tensors[output];
  const cases::DType dtype = output_->tensor->dtype;
  if (!cases::is_floating(dtype)) return std::nullopt;
  const std::string when = occasion(sized, launch.input_kind, launch.name);
  wholes_.push_back({when, disagreement_of(dtype, launch.outputs[output], expected[output])});
  if (std::ranges::find(sampled_launches_, &launch) == sampled_launches_.end()) return std::nullopt;
  const Misrounding found = sample(launch, *product, inputs, expected);
  sampled_ += found;
  // A reference kernel may do more than multiply; a library does not.
  is_plain_product_ = std::holds_alternative<cases::GemmReference>(sized.problem->reference) ||
                      is_plain_product(dtype, sampled_);
  if (!is_plain_product_) return std::nullopt;
  if (const auto words = complaint(dtype, found)) return rejected(*output_, *words, when);
  return std::nullopt;
}

std::optional<Rejection> ProductCheck::conclude() const {
  if (output_ == nullptr || !is_plain_product_ || sampled_.elements == 0) return std::nullopt;
  const cases::DType dtype = output_->tensor->dtype;
  if (const auto words = complaint(dtype, sampled_)) {
    return rejected(*output_, *words,
                    fmt::format("inputs of the case, {} launches", sampled_launches_.size()));
  }
  const double mean_square = squared_magnitudes_ / static_cast<double>(magnitudes_);
  for (const Whole& whole : wholes_) {
    if (const auto words = complaint(dtype, whole.disagreement, sampled_, mean_square)) {
      return rejected(*output_, *words, whole.occasion);
    }
  }
  return std::nullopt;
}

}  // namespace autokernel::trial
