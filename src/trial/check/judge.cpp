#include "trial/check/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <variant>

#include "autokernel/base/defences.h"
#include "autokernel/base/error.h"
#include "trial/check/compare_tensors.h"
#include "trial/check/padding.h"
#include "trial/check/rms_errors.h"
#include "trial/check/unwritten_elements.h"
#include "trial/inputs/conversion.h"
#include "trial/inputs/element_text.h"

namespace autokernel::trial {
namespace {

// How the absolute tolerance, which is meant for the declared inputs, changes with inputs of
// another scale.
double absolute_scale(const SizedCase& sized, InputKind input_kind) {
  if (!is_stress(*sized.problem, input_kind)) return 1;
  const Scaling by = scaling(sized);
  const bool product = std::holds_alternative<cases::SumOfProducts>(sized.problem->exactness);
  switch (input_kind) {
    case InputKind::declared:
    case InputKind::exact:
    case InputKind::constant:
      return 1;
    case InputKind::very_large:
      // Of a product, magnitudes say how much is allowed; of an unknown function, the square of the
      // scale is.
      return product ? 1 : std::ldexp(1, 2 * by.large);
    case InputKind::very_small:
      return product ? std::ldexp(1, -2 * by.small) : 1;
    case InputKind::mixed:
      return product ? 1 : std::ldexp(1, 2 * by.spread);
    case InputKind::zeros:
      return product ? 0 : 1;
  }
  return 1;
}

// "3 of 512 elements differ, 1 of them not finite, largest difference 0.5"
std::string extent(const Comparison& comparison) {
  std::string text =
      fmt::format("{} of {} elements differ", comparison.differing, comparison.count);
  if (comparison.not_finite > 0) text += fmt::format(", {} not finite", comparison.not_finite);
  if (comparison.largest > 0)
    text += fmt::format(", largest difference {:.6g}", comparison.largest);
  return text;
}

Rejection wrong(const LaunchRecord& launch, std::size_t t, const Bytes& expected,
                const Comparison& comparison) {
  const SizedTensor& tensor = launch.sized->tensors[t];
  const Bytes& got = launch.outputs[t];
  const cases::DType dtype = tensor.tensor->dtype;
  const std::string name = element_name(tensor, comparison.first);
  const std::string right = value_text(dtype, expected, comparison.first);
  const std::string when = occasion(*launch.sized, launch.input_kind, launch.name);
  if (const std::uint64_t unwritten = count_unwritten(launch, t, expected, comparison.first)) {
    std::string reason = fmt::format(
        "{} was never written, expected {} ({}); {} of {} elements "
        "were not",
        name, right, when, unwritten, comparison.count);
    if (comparison.differing > unwritten)
      reason += fmt::format(", and {} more differ", comparison.differing - unwritten);
    return {Verdict::incorrect, reason, "", Cause::never_written};
  }
  const bool is_finite = std::isfinite(value_at(dtype, got, comparison.first));
  return {Verdict::incorrect,
          fmt::format("{} = {}, expected {} ({}); {}", name,
                      value_text(dtype, got, comparison.first), right, when, extent(comparison)),
          "", is_finite ? Cause::unknown : Cause::not_finite};
}

// How many elements of a tensor may be wrong.
std::uint64_t let_pass(const LaunchRecord& launch, const Comparison& comparison) {
  if (!stands(Defence::every_element)) return comparison.count / 100;
  const double share = launch.sized->problem->may_be_wrong;
  if (comparison.not_finite > 0) return 0;
  return static_cast<std::uint64_t>(share * static_cast<double>(comparison.count));
}

// Of floats of any width the sign is the highest bit of the last byte.
Bytes magnitudes(const SizedTensor& tensor, Bytes values) {
  const std::size_t element = cases::size_of(tensor.tensor->dtype);
  for (std::size_t i = element - 1; i < values.size(); i += element) values[i] &= std::byte{0x7f};
  return values;
}

// Of what a sum of products gives.
cases::DType product_type(const LaunchRecord& launch) {
  const auto& product = std::get<cases::SumOfProducts>(launch.sized->problem->exactness);
  return launch.sized->tensors[launch.sized->index_of(product.output)].tensor->dtype;
}

}  // namespace

void Judge::multiply_magnitudes(const SizedCase& sized, const cases::SumOfProducts& product) {
  const std::size_t left = sized.index_of(product.left);
  const std::size_t right = sized.index_of(product.right);
  const Product shape = product_of(sized, product.left, product.right);
  magnitudes_.resize(static_cast<std::size_t>(shape.rows * shape.columns));
  library_->multiply(shape, sized.tensors[left].tensor->dtype,
                     magnitudes(sized.tensors[left], inputs_[left]),
                     magnitudes(sized.tensors[right], inputs_[right]), magnitudes_);
}

std::future<std::vector<Bytes>> Judge::making_inputs(const LaunchRecord& launch) const {
  return std::async(std::launch::async, [this, &launch] {
    std::vector<Bytes> inputs;
    maker_->make(*launch.sized, launch.input_kind, launch.key, inputs);
    return inputs;
  });
}

Closeness Judge::closeness_of(const LaunchRecord& launch, std::size_t tensor) {
  const SizedCase& sized = *launch.sized;
  if (is_exact(*sized.problem, launch.input_kind)) return {};
  Closeness closeness;
  closeness.kind = Closeness::Kind::within;
  closeness.tolerance = sized.tensors[tensor].tensor->tolerance.value_or(sized.problem->tolerance);
  closeness.tolerance.absolute *= absolute_scale(sized, launch.input_kind);
  return closeness;
}

void Judge::note_not_finite(const LaunchRecord& launch) {
  notes_.push_back(fmt::format("not judged, since the reference itself is not finite: {}",
                               occasion(*launch.sized, launch.input_kind, launch.name)));
}

// Once for each tensor: where no result at all is close enough to what is expected, a kernel that
// computes nothing is right.
void Judge::note_vain_tolerance(const SizedTensor& tensor, const Bytes& expected,
                                const Closeness& allowed) {
  if (!looked_at_tolerance_.insert(tensor.tensor->name).second) return;
  const Bytes nothing(expected.size());
  if (compare(tensor.tensor->dtype, nothing, expected, allowed).differing > 0) return;
  if (compare(tensor.tensor->dtype, nothing, expected, {}).differing == 0) return;
  notes_.push_back(fmt::format(
      "{} could be all zeros: what is expected is nowhere further from 0 than the tolerance, and "
      "so a kernel that computes nothing is called right; lower absolute in [check]",
      tensor.tensor->name));
}

bool Judge::passes(const LaunchRecord& launch) {
  const DeviceJudge::Look look = on_device_->look(
      launch, [&](std::size_t tensor) { return closeness_of(launch, tensor); },
      is_stress(*launch.sized->problem, launch.input_kind), differences_);
  if (look == DeviceJudge::Look::reference_not_finite) note_not_finite(launch);
  return look != DeviceJudge::Look::is_doubtful;
}

std::optional<Rejection> Judge::judge_one(const LaunchRecord& as_delivered) {
  const SizedCase& sized = *as_delivered.sized;
  const bool is_compared =
      as_delivered.input_kind != InputKind::declared || stands(Defence::case_inputs);
  if (!is_compared && timed_input_kind(*sized.problem) == InputKind::exact) return std::nullopt;
  const std::vector<Bytes>* made = &reference_->expected(sized, inputs_);
  std::vector<Bytes> made_without_padding;
  std::optional<LaunchRecord> without_padding;
  if (std::ranges::any_of(sized.tensors, &SizedTensor::has_padding)) {
    if (auto rejected = written_padding(as_delivered, inputs_)) return rejected;
    without_padding = as_delivered;
    clear_padding(sized, without_padding->outputs);
    made_without_padding = *made;
    clear_padding(sized, made_without_padding);
    made = &made_without_padding;
  }
  const LaunchRecord& launch = without_padding ? *without_padding : as_delivered;
  const std::vector<Bytes>& by_reference = *made;
  const std::vector<std::vector<double>>* const right =
      fp64_ != nullptr ? &fp64_->expected(sized, inputs_) : nullptr;
  const auto* product = std::get_if<cases::SumOfProducts>(&sized.problem->exactness);

  for (std::size_t t = 0; t < sized.tensors.size(); ++t) {
    const SizedTensor& tensor = sized.tensors[t];
    if (!tensor.is_written()) continue;
    const bool is_right_known = right != nullptr && !(*right)[t].empty();
    RightValues values;
    Closeness allowed = closeness_of(launch, t);
    if (is_right_known) {
      values = right_values(tensor.tensor->dtype, by_reference[t], (*right)[t]);
      allowed.tolerance.absolute += values.reference_error;
    }
    const Bytes& expected = is_right_known ? values.rounded : by_reference[t];
    Comparison comparison = compare(tensor.tensor->dtype, launch.outputs[t], expected, allowed);
    if (comparison.differing > 0 && product != nullptr &&
        is_stress(*launch.sized->problem, launch.input_kind) &&
        tensor.tensor->name == product->output) {
      // How far sums of such magnitudes may be off takes a second product.
      multiply_magnitudes(sized, *product);
      allowed.magnitudes = magnitudes_;
      allowed.factor = std::ldexp(
          static_cast<double>(product_of(sized, product->left, product->right).depth), -23);
      comparison = compare(tensor.tensor->dtype, launch.outputs[t], expected, allowed);
    }
    if (!(comparison.all_finite && std::isfinite(values.reference_error)) &&
        is_stress(*launch.sized->problem, launch.input_kind)) {
      note_not_finite(launch);
      return std::nullopt;
    }
    // Stress inputs are of another scale, and their differences would drown the others.
    if (!is_stress(*launch.sized->problem, launch.input_kind)) {
      differences_.max_abs = std::max(differences_.max_abs, comparison.differences.max_abs);
      differences_.max_rel = std::max(differences_.max_rel, comparison.differences.max_rel);
    }
    if (comparison.differing > let_pass(launch, comparison))
      return wrong(launch, t, expected, comparison);
    if (launch.input_kind == InputKind::declared && allowed.kind == Closeness::Kind::within)
      note_vain_tolerance(tensor, expected, allowed);
  }
  if (product != nullptr && stands(Defence::misrounding)) {
    if (auto rejected = product_checks_.at(product_type(as_delivered))
                            .look(as_delivered, inputs_, by_reference))
      return rejected;
  }
  if (right == nullptr || launch.input_kind != InputKind::declared) return std::nullopt;
  return judge_rms(launch, by_reference, *right);
}

std::optional<Rejection> Judge::judge_rms(const LaunchRecord& launch,
                                          const std::vector<Bytes>& expected,
                                          const std::vector<std::vector<double>>& right) {
  const SizedCase& sized = *launch.sized;
  for (std::size_t t = 0; t < sized.tensors.size(); ++t) {
    if (right[t].empty()) continue;
    const SizedTensor& tensor = sized.tensors[t];
    const cases::DType dtype = tensor.tensor->dtype;
    if (const auto at =
            first_disagreement(dtype, expected[t], right[t], sized.problem->tolerance)) {
      throw Error(Stop::usage,
                  fmt::format("the references of case {} disagree: {} is {} by the one in fp32 and "
                              "{} by the one in fp64, further apart than the tolerance; fix them "
                              "in {}",
                              sized.problem->name, element_name(tensor, *at),
                              value_text(dtype, expected[t], *at), right[t][*at],
                              sized.problem->directory.string()));
    }
    const RmsErrors errors = rms_errors(dtype, launch.outputs[t], expected[t], right[t]);
    if (errors.acceptable()) continue;
    return Rejection{
        Verdict::incorrect,
        fmt::format("{}: the root mean square error against fp64 is {:.4g}, that of the fp32 "
                    "reference {:.4g}; at most {} times as much is allowed ({})",
                    tensor.tensor->name, errors.got, errors.reference, kRmsFactor,
                    occasion(sized, launch.input_kind, launch.name)),
        ""};
  }
  return std::nullopt;
}

void Judge::check_products_of(std::span<const LaunchRecord> launches) {
  std::map<cases::DType, std::vector<const LaunchRecord*>> by_type;
  for (const LaunchRecord& launch : launches) {
    if (std::holds_alternative<cases::SumOfProducts>(launch.sized->problem->exactness))
      by_type[product_type(launch)].push_back(&launch);
  }
  product_checks_.clear();
  for (const auto& [type, of_type] : by_type) product_checks_.emplace(type, of_type);
}

std::optional<Rejection> Judge::judge(std::span<const LaunchRecord> launches) {
  if (launches.empty()) return std::nullopt;
  // The inputs of the next launch are made while this one is judged: the reference may be computed
  // on a GPU, and the processor has nothing else to do.
  std::future<std::vector<Bytes>> next;
  if (on_device_ == nullptr) next = making_inputs(launches.front());
  check_products_of(launches);
  for (const LaunchRecord& launch : launches) {
    next_();
    judged_last_ = launch.name;
    if (on_device_ != nullptr) {
      if (passes(launch)) continue;
      next = making_inputs(launch);
    }
    inputs_ = next.get();
    if (on_device_ == nullptr && &launch != &launches.back()) next = making_inputs(*(&launch + 1));
    auto rejected =
        on_device_ != nullptr ? judge_one(on_device_->kernels().fetch(launch)) : judge_one(launch);
    if (!rejected) continue;
    if (differing_repeats(launches, on_device_ != nullptr ? &on_device_->kernels() : nullptr))
      rejected->cause = Cause::race;
    return rejected;
  }
  for (const auto& [type, check] : product_checks_) {
    if (auto rejected = check.conclude()) return rejected;
  }
  return std::nullopt;
}

namespace {

// That they gave other bits, if they did.
std::optional<Rejection> difference_between(const LaunchRecord& one, const LaunchRecord& other) {
  for (std::size_t t = 0; t < one.outputs.size(); ++t) {
    if (same_bytes(one.outputs[t], other.outputs[t])) continue;
    const SizedTensor& tensor = one.sized->tensors[t];
    const std::uint64_t element =
        first_difference(one.outputs[t], other.outputs[t]) / cases::size_of(tensor.tensor->dtype);
    return Rejection{
        Verdict::incorrect,
        fmt::format("{} = {}, then {} on the same inputs ({}): the result depends on the order in "
                    "which threads run",
                    element_name(tensor, element),
                    value_text(tensor.tensor->dtype, one.outputs[t], element),
                    value_text(tensor.tensor->dtype, other.outputs[t], element),
                    occasion(*other.sized, other.input_kind, other.name)),
        "", Cause::race};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Rejection> differing_repeats(std::span<const LaunchRecord> launches,
                                           const JudgingKernels* kernels) {
  for (std::size_t i = 1; i < launches.size(); ++i) {
    const LaunchRecord& one = launches[i - 1];
    const LaunchRecord& other = launches[i];
    if (one.input_kind != other.input_kind || one.key != other.key || one.sized != other.sized)
      continue;
    if (kernels != nullptr && kernels->are_same(one, other)) continue;
    auto rejected = kernels != nullptr
                        ? difference_between(kernels->fetch(one), kernels->fetch(other))
                        : difference_between(one, other);
    if (rejected) return rejected;
  }
  return std::nullopt;
}

}  // namespace autokernel::trial
