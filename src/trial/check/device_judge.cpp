#include "trial/check/device_judge.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace autokernel::trial {
namespace {

constexpr const char* kLaunch = R"(
#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "harness_comparison", .grid = {1}, .block = {1}});
)";

// Outputs of a launch on the device, where they are already, or where they are copied to.
class OnDevice {
 public:
  OnDevice(const driver::Device& device, const LaunchRecord& launch, std::size_t tensor) {
    if (launch.on_device) {
      address_ = launch.on_device->at(tensor).address();
      return;
    }
    const Bytes& bytes = launch.outputs[tensor];
    copy_ = device.allocate(bytes.size());
    device.copy_in(copy_.address(), bytes);
    address_ = copy_.address();
  }
  [[nodiscard]] driver::Address address() const { return address_; }

 private:
  driver::Buffer copy_;
  driver::Address address_ = 0;
};

}  // namespace

compile::Request device_judge_source(const std::string& architecture) {
  return {{"harness_judge.cu", kLaunch + operand_kernel() + comparison_kernel()}, architecture, {}};
}

bool JudgingKernels::suit(const cases::Case& problem) {
  const auto* reference = std::get_if<cases::KernelReference>(&problem.reference);
  if (reference == nullptr || std::holds_alternative<cases::SumOfProducts>(problem.exactness))
    return false;
  return std::ranges::all_of(problem.tensors, [&](const cases::Tensor& tensor) {
    const bool is_right_known = !reference->fp64_file.empty() && cases::is_floating(tensor.dtype);
    return tensor.role == cases::Role::in ||
           (tensor.pitch.empty() && DeviceComparison::knows(tensor.dtype, is_right_known));
  });
}

bool JudgingKernels::are_same(const LaunchRecord& one, const LaunchRecord& other) const {
  for (std::size_t t = 0; t < one.sized->tensors.size(); ++t) {
    const SizedTensor& tensor = one.sized->tensors[t];
    if (!tensor.is_written() || tensor.bytes == 0) continue;
    const OnDevice here(*device_, one, t);
    const OnDevice there(*device_, other, t);
    if (!comparison_.are_same(here.address(), there.address(), tensor.bytes, stream_)) return false;
  }
  return true;
}

LaunchRecord JudgingKernels::fetch(const LaunchRecord& launch) const {
  LaunchRecord fetched = launch;
  if (!fetched.on_device) return fetched;
  fetched.outputs.resize(fetched.on_device->size());
  for (std::size_t t = 0; t < fetched.outputs.size(); ++t) {
    if (!fetched.sized->tensors[t].is_written()) continue;
    fetched.outputs[t].resize(fetched.sized->tensors[t].bytes);
    device_->copy_out(fetched.outputs[t], fetched.on_device->at(t).address());
  }
  fetched.on_device.reset();
  return fetched;
}

DeviceJudge::Look DeviceJudge::look(const LaunchRecord& launch,
                                    const std::function<Closeness(std::size_t)>& closeness,
                                    bool is_stress, Differences& differences) {
  const SizedCase& sized = *launch.sized;
  const Occasion occasion{&sized, launch.input_kind, launch.key};
  const Operands& reference = reference_->on_device(occasion, kernels_->operands_);
  const Operands* const right =
      fp64_ != nullptr ? &fp64_->on_device(occasion, kernels_->operands_) : nullptr;
  Differences found = differences;
  for (std::size_t t = 0; t < sized.tensors.size(); ++t) {
    const SizedTensor& tensor = sized.tensors[t];
    if (!tensor.is_written() || tensor.count == 0) continue;
    const OnDevice got(*kernels_->device_, launch, t);
    const bool is_right_known = right != nullptr && Fp64Reference::holds_doubles(tensor);
    const ComparedOnDevice where{.got = got.address(),
                                 .reference = reference.address(t),
                                 .right = is_right_known ? right->address(t) : 0,
                                 .count = tensor.count,
                                 .dtype = tensor.tensor->dtype};
    const Look seen = look_at(launch.input_kind, where, closeness(t), is_stress, found);
    if (seen != Look::is_right) return seen;
  }
  differences = found;
  return Look::is_right;
}

DeviceJudge::Look DeviceJudge::look_at(InputKind input_kind, const ComparedOnDevice& where,
                                       const Closeness& closeness, bool is_stress,
                                       Differences& differences) const {
  const DeviceFindings found = kernels_->comparison_.compare(where, closeness, kernels_->stream_);
  const bool is_finite = found.not_finite == 0 && std::isfinite(found.reference_error);
  if (!is_finite && is_stress) return Look::reference_not_finite;
  if (found.differing > 0) return Look::is_doubtful;
  if (!is_stress) {
    differences.max_abs = std::max(differences.max_abs, found.differences.max_abs);
    differences.max_rel = std::max(differences.max_rel, found.differences.max_rel);
  }
  if (where.right == 0 || input_kind != InputKind::declared) return Look::is_right;
  // False for NaN too.
  return found.disagreeing == 0 && found.rms.acceptable() ? Look::is_right : Look::is_doubtful;
}

}  // namespace autokernel::trial
