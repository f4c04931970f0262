// Whether the launches of a sum of products gave what sums in fp32 give, on the inputs of the case:
// parts of some of them, drawn when the candidate is gone, are worked out in fp64, and every other
// one is held against the library. The arithmetic is in trial/check/misrounding.h.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "trial/check/misrounding.h"
#include "trial/launch/kernel_launcher.h"
#include "trial/launch/rejection.h"

namespace autokernel::trial {

class ProductCheck {
 public:
  // Draws which of the launches are looked at closely. Their outputs are of one type.
  explicit ProductCheck(const std::vector<const LaunchRecord*>& launches);

  // One launch, its inputs, and what the reference gave for them. Says nothing where the case is no
  // sum of products, or the inputs are not those of the case.
  [[nodiscard]] std::optional<Rejection> look(const LaunchRecord& launch,
                                              const std::vector<Bytes>& inputs,
                                              const std::vector<Bytes>& expected);
  // All of them together, when every launch has been looked at.
  [[nodiscard]] std::optional<Rejection> conclude() const;

 private:
  struct Whole {
    std::string occasion;
    Disagreement disagreement;
  };
  [[nodiscard]] Misrounding sample(const LaunchRecord& launch, const cases::SumOfProducts& product,
                                   const std::vector<Bytes>& inputs,
                                   const std::vector<Bytes>& expected);

  std::mt19937_64 random_;
  std::vector<const LaunchRecord*> sampled_launches_;
  const SizedTensor* output_ = nullptr;  // of the case; null: nothing was judged yet
  bool is_plain_product_ = true;
  Misrounding sampled_;
  double squared_magnitudes_ = 0;  // their sum over all sampled elements
  std::uint64_t magnitudes_ = 0;
  std::vector<Whole> wholes_;
};

}  // namespace autokernel::trial
