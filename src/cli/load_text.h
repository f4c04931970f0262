// What bench-http prints of a load.
#pragma once

#include <string>

#include "autokernel/lab/load.h"
#include "autokernel/lab/load_figures.h"

namespace autokernel::cli {

struct LoadReport {
  lab::LoadSettings settings;
  lab::LoadFigures figures;
};

// "key: value" lines, a table of latencies, and what was found.
[[nodiscard]] std::string load_text(const LoadReport& report);
// One JSON object and a line end; times are in milliseconds.
[[nodiscard]] std::string load_json(const LoadReport& report);

}  // namespace autokernel::cli
