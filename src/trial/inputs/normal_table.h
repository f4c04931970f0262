// The standard normal distribution as a table of its quantiles: one look-up and one interpolation
// per value, where Box-Muller takes a logarithm and a sine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace autokernel::trial {

class NormalTable {
 public:
  static constexpr unsigned kSegmentBits = 12;
  static constexpr std::size_t kSegments = 1U << kSegmentBits;

  // Costs about a millisecond: make one and keep it.
  NormalTable();

  // The value whose share of smaller ones is word / 2^32. The tails end at 4.5 standard deviations.
  [[nodiscard]] float value(std::uint32_t word) const {
    constexpr unsigned kRestBits = 32 - kSegmentBits;
    const std::uint32_t segment = word >> kRestBits;
    const float rest =
        static_cast<float>(static_cast<std::int32_t>(word & ((1U << kRestBits) - 1U))) *
        (1.0F / static_cast<float>(1U << kRestBits));
    const float low = quantiles_[segment];
    return low + rest * (quantiles_[segment + 1] - low);
  }

  // Of segment i / kSegments.
  [[nodiscard]] const std::array<float, kSegments + 1>& quantiles() const { return quantiles_; }

 private:
  std::array<float, kSegments + 1> quantiles_{};
};

}  // namespace autokernel::trial
