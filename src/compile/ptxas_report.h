// What ptxas, called verbosely, says about each kernel. Its log is the only place that tells
// spills; the rest stands there too, in the same lines since CUDA 5.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "autokernel/compile/program.h"

namespace autokernel::compile {

struct PtxasReport {
  std::map<std::string, Resources> resources;  // by kernel
  std::vector<std::string> warnings;           // that cost speed, without ptxas's prefix
};
[[nodiscard]] PtxasReport read_ptxas_report(const std::string& log);

}  // namespace autokernel::compile
