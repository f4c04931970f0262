// Pictures of one kernel at several sizes of its case: its times, and how near the device's limits
// they are. gnuplot does the drawing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/plot/plot.h"

namespace autokernel::plot {

struct SizePoint {
  std::string name;  // "default"
  std::map<std::string, std::int64_t> symbols;
  double operations = 0;  // as the case counts them
  double bytes = 0;
  std::optional<double> kernel_us;  // none: it was not timed
  std::optional<double> reference_us;
};

// How fast something can compute at most.
struct ComputeRoof {
  std::string unit;  // "tensor bf16"
  double tflops = 0;
};

// Which figure the work per time is drawn as.
enum class WorkRate : std::uint8_t { operations, bytes };

// Text may hold anything.
struct Sweep {
  std::string problem;                  // "MatMul"
  std::string device;                   // "NVIDIA H200"
  std::string reference = "reference";  // what reference_us is the time of: "cuBLAS"
  WorkRate work_rate = WorkRate::operations;
  std::vector<SizePoint> sizes;  // in the order of the table
  // None where the device's limits are not known.
  std::vector<ComputeRoof> compute;
  std::optional<double> memory_gbytes_s;
};

// The bytes of the picture, png or svg: throughput and time of kernel and reference by size, a size
// without a time left out. Throws Error(usage) where no size has one, Error(environment) where
// gnuplot does not run or reports a mistake.
[[nodiscard]] std::string draw_sizes(const Sweep& sweep, Format format,
                                     const std::filesystem::path& gnuplot);
// The same sizes below the device's roofs, or without them where those are not known.
[[nodiscard]] std::string draw_roofline(const Sweep& sweep, Format format,
                                        const std::filesystem::path& gnuplot);

}  // namespace autokernel::plot
