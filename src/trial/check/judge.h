// Whether launches gave what they should have: outputs that were kept against references made
// afterwards.
#pragma once

#include <functional>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autokernel/trial/result.h"
#include "trial/blas/library.h"
#include "trial/check/compare_tensors.h"
#include "trial/check/device_judge.h"
#include "trial/check/fp64_reference.h"
#include "trial/check/product_check.h"
#include "trial/check/reference.h"
#include "trial/inputs/inputs.h"
#include "trial/launch/kernel_launcher.h"
#include "trial/launch/rejection.h"

namespace autokernel::trial {

class Judge {
 public:
  // `library` multiplies magnitudes for the tolerance of stress inputs; null where the case is no
  // sum of products. `fp64` is null where the case has no reference in fp64, and `on_device` where
  // all is judged on the host. All must live longer.
  Judge(Reference& reference, Library* library, const InputMaker& maker,
        Fp64Reference* fp64 = nullptr, DeviceJudge* on_device = nullptr)
      : reference_(&reference),
        library_(library),
        maker_(&maker),
        fp64_(fp64),
        on_device_(on_device) {}

  // Is called before each launch that is judged: a reference may take long.
  void tell(std::function<void()> next) { next_ = std::move(next); }

  // Compares every element of every launch, in order, until one is wrong.
  [[nodiscard]] std::optional<Rejection> judge(std::span<const LaunchRecord> launches);

  // The name of the launch that was judged last: the one that is wrong, where one is.
  [[nodiscard]] const std::string& judged_last() const { return judged_last_; }
  // Over everything judged so far.
  [[nodiscard]] const Differences& differences() const { return differences_; }
  // Launches that could not be judged, and why; and what a tolerance lets pass.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  void check_products_of(std::span<const LaunchRecord> launches);
  [[nodiscard]] std::future<std::vector<Bytes>> making_inputs(const LaunchRecord& launch) const;
  // On the device; false where the host has to look.
  [[nodiscard]] bool passes(const LaunchRecord& launch);
  [[nodiscard]] static Closeness closeness_of(const LaunchRecord& launch, std::size_t tensor);
  void note_not_finite(const LaunchRecord& launch);
  void note_vain_tolerance(const SizedTensor& tensor, const Bytes& expected,
                           const Closeness& allowed);
  // On inputs_.
  [[nodiscard]] std::optional<Rejection> judge_one(const LaunchRecord& as_delivered);
  // On the declared inputs, all errors together against those of the reference. Inputs of mixed
  // scale say nothing here: the largest elements would drown the others.
  [[nodiscard]] static std::optional<Rejection> judge_rms(
      const LaunchRecord& launch, const std::vector<Bytes>& expected,
      const std::vector<std::vector<double>>& right);
  // K * 2^-23 * (|left| |right|), the most by which honest sums in fp32 may differ, goes into
  // magnitudes_.
  void multiply_magnitudes(const SizedCase& sized, const cases::SumOfProducts& product);

  Reference* reference_;
  Library* library_;
  const InputMaker* maker_;
  Fp64Reference* fp64_;
  DeviceJudge* on_device_;
  std::function<void()> next_ = [] {};
  std::vector<Bytes> inputs_;
  std::vector<float> magnitudes_;
  // Of the launches that are being judged, by the type of the product: counts of one say nothing
  // about another.
  std::map<cases::DType, ProductCheck> product_checks_;
  std::string judged_last_;
  Differences differences_;
  std::vector<std::string> notes_;
  std::set<std::string> looked_at_tolerance_;  // tensors
};

// Launches on the same inputs must have given the same bits; empty where they have. `kernels` are
// those that compare outputs on the device, where any are there.
[[nodiscard]] std::optional<Rejection> differing_repeats(std::span<const LaunchRecord> launches,
                                                         const JudgingKernels* kernels = nullptr);

}  // namespace autokernel::trial
