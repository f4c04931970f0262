// The least bound of the form absolute + relative * |value| that is above errors which were seen.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "autokernel/cases/case.h"

namespace autokernel::programs {

class ErrorBound {
 public:
  // A result of that value, which was off by so much.
  void add(double value, double error);
  // Least means least in sum over all results: the line through two corners of the convex hull of
  // the errors over the magnitudes, between which the mean magnitude lies.
  [[nodiscard]] cases::Tolerance least() const;

  // All that was added to the other as well.
  void add(const ErrorBound& other);

 private:
  struct Cell {
    double magnitude = std::numeric_limits<double>::infinity();  // the smallest in it
    double error = -1;                                           // the largest; none
  };
  std::vector<Cell> cells_;  // by magnitude, eight in each power of two; empty before the first
  double sum_ = 0;           // of magnitudes
  std::uint64_t count_ = 0;
};

}  // namespace autokernel::programs
