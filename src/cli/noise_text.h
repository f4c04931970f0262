// What `autokernel noise` prints.
#pragma once

#include <filesystem>
#include <string>

#include "autokernel/trial/result.h"
#include "cli/noise_store.h"

namespace autokernel::cli {

struct NoiseReport {
  trial::Result result;  // of the last process
  int processes = 0;
  StoredNoise noise;
  std::filesystem::path file;  // that it is kept in; empty: it could not be
};

// "key: value" lines, as bench prints them; percentages are of the time.
[[nodiscard]] std::string noise_text(const NoiseReport& report);
// One JSON object: docs/noise.md.
[[nodiscard]] std::string noise_json(const NoiseReport& report);

}  // namespace autokernel::cli
