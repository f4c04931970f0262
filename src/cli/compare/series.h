// What rounds of measurements say of one opponent: its time, and how it compares with ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace autokernel::cli {

// The 95 % interval around a geometric mean.
struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
};

enum class OpponentKind : std::uint8_t { ours, kernel, library };
[[nodiscard]] const char* spelling(OpponentKind kind);

struct Series {
  std::string label;  // "kernels/kernel.cu", "cuBLASLt"
  OpponentKind kind = OpponentKind::kernel;
  std::string version;        // of what computes or compiles it: "cuBLAS 13.1.0", "NVRTC 13.0"
  std::string configuration;  // "the best of 8 heuristics, no. 3, workspace 32 MiB"
  // Of each round, in order; none where it was not measured.
  std::vector<std::optional<double>> medians_us;
  std::string refused;                // why it has no time
  int exit_code = 0;                  // of the trial that refused it
  std::string unit;                   // what it computes with: "tensor bf16"; empty: not known
  std::optional<double> max_abs_err;  // against the reference, over all rounds
};

// Of its rounds; none where fewer than two were measured.
[[nodiscard]] std::optional<Interval> time_of(const Series& series);

// Its time over that of the other, round by round: above 1, the other is faster. From Student's t
// of the logarithms. None where they have fewer than two rounds in common.
[[nodiscard]] std::optional<Interval> ratio_of(const Series& series, const Series& other);

}  // namespace autokernel::cli
