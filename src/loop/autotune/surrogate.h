// A model of how long configurations take, from those that were measured.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "loop/autotune/parameters.h"

namespace autokernel::loop {

// Configurations as points in the unit cube: each parameter by the rank of its value, so that 64 is
// as far from 128 as 128 from 256.
class Places {
 public:
  explicit Places(const std::vector<std::vector<double>>& values);
  [[nodiscard]] std::vector<double> of(const Configuration& configuration) const;

 private:
  std::vector<std::vector<double>> ranks_;
};

// A Gaussian process with a Matern 5/2 kernel (Rasmussen and Williams, "Gaussian Processes for
// Machine Learning", 2006, chapters 2 and 4) of the logarithms of times. Its length scale is the
// likeliest of a few.
class Surrogate {
 public:
  [[nodiscard]] std::size_t size() const { return points_.size(); }
  // A point without a time counts as the slowest that is known.
  void add(std::vector<double> point, std::optional<double> time_us);
  // The number of the point with the greatest expected improvement over the best; 0 while no point
  // has a time.
  [[nodiscard]] std::size_t most_promising(const std::vector<std::vector<double>>& points) const;

 private:
  std::vector<std::vector<double>> points_;
  std::vector<std::optional<double>> logarithms_;
};

}  // namespace autokernel::loop
