// Histories as runs leave them behind.
#pragma once

#include <string>

#include "autokernel/plot/history.h"

namespace autokernel::plot::testing {

inline Experiment kept(double us, std::string description = "an idea") {
  return {.commit = "abcdef0",
          .fate = Fate::kept,
          .time_us = us,
          .tflops_s = 2000 / us,
          .description = std::move(description),
          .interval_us = {}};
}
inline Experiment discarded(double us) {
  Experiment experiment = kept(us);
  experiment.fate = Fate::discarded;
  return experiment;
}
inline Experiment failed() {
  Experiment experiment = kept(1);
  experiment.fate = Fate::failed;
  experiment.time_us.reset();
  experiment.tflops_s.reset();
  return experiment;
}

// `count` experiments of which each tenth is faster than all before and each seventh fails.
inline History history_of(int count) {
  History history;
  double best = 400;
  for (int i = 0; i < count; ++i) {
    if (i % 10 == 0) {
      history.experiments.push_back(kept(best, "idea number " + std::to_string(i)));
      best *= 0.97;
    } else {
      history.experiments.push_back(i % 7 == 0 ? failed()
                                               : discarded(best * (1.1 + 0.01 * (i % 9))));
    }
  }
  return history;
}

}  // namespace autokernel::plot::testing
