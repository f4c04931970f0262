// What is worked out from the times of a kernel before anything is printed, as text or as JSON.
#pragma once

#include <optional>

#include "autokernel/trial/result.h"
#include "autokernel/trial/roofline.h"

namespace autokernel::trial {

struct Figures {
  const Times* times;  // into the result
  double gbytes_s;     // least bytes moved per median time
  double tflops_s;
  std::optional<double> vs_reference;  // the library's median over the kernel's: above 1 is faster
  std::optional<Roofline> roof;
  double intensity;  // operations per byte, as the case counts them
  std::optional<UnitRoof> unit;
  std::optional<double> sol_score;
};

// Nothing for a kernel that failed: the speed of a wrong kernel is not reported. `result` must live
// longer.
[[nodiscard]] std::optional<Figures> figures(const Result& result);

}  // namespace autokernel::trial
