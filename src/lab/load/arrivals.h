// When the requests of an open loop are due.
#pragma once

#include <cstdint>

#include "lab/random_bits.h"

namespace autokernel::lab {

// A Poisson process: the times between arrivals are exponentially distributed and independent.
class PoissonArrivals {
 public:
  // `rate` per second, above 0; the same seed gives the same times.
  PoissonArrivals(double rate, std::uint64_t seed) : rate_(rate), random_(seed) {}

  // Seconds from the beginning to the next arrival.
  [[nodiscard]] double next() {
    at_ += random_.exponential() / rate_;
    return at_;
  }

 private:
  double rate_;
  RandomBits random_;
  double at_ = 0;
};

}  // namespace autokernel::lab
