// Where a program's GPU time went: its launches put together by kernel, the longest first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/programs/profile.h"

namespace autokernel::programs {

// Whose a kernel is, told by its name.
enum class Origin : std::uint8_t {
  cublas,
  cudnn,
  aten,
  triton,
  cutlass,
  cub,
  nccl,
  flash_attention,
  ggml,
  own
};
[[nodiscard]] const char* spelling(Origin origin);

// What limits a kernel whose operations and bytes are known.
struct Limit {
  double flops = 0;     // of one launch
  double bytes = 0;     // that one launch has to move at least: each input and output once
  std::string bound;    // "compute" or "memory"
  double least_us = 0;  // no launch can be faster on this device
};

// Launches of one kernel with the same launch configuration, for the same operation.
struct RankedKernel {
  std::string name;        // as the driver has it
  std::string demangled;   // the same, readable
  std::string short_name;  // to be read in a table
  Origin origin = Origin::own;
  std::int64_t launches = 0;
  double total_us = 0;
  double share = 0;  // of the time of all kernels in the profile, 0 to 1
  double mean_us = 0, median_us = 0, least_us = 0, most_us = 0;
  Extent grid, block;
  std::int64_t registers = kUnknown;                                 // per thread
  std::int64_t static_shared = kUnknown, dynamic_shared = kUnknown;  // bytes per block
  bool in_graph = false;
  std::uint32_t device = 0;            // index in Ranking::devices
  std::optional<Operation> operation;  // where it is known
  std::optional<Limit> limit;          // where it and the device's peaks are known
};

// What kept the devices busy, and how long they were not.
struct Totals {
  double span_us = 0;     // from the first start to the last end
  double kernels_us = 0;  // sum over all kernels; those that overlap count each
  double transfers_us = 0;
  double idle_share = 0;  // of the span in which a device had nothing to do: mean over those used
  std::int64_t launches = 0;
  std::int64_t transfers = 0;
  std::uint64_t transfer_bytes = 0;
};

// The kernels of one origin together.
struct OriginShare {
  Origin origin = Origin::own;
  std::int64_t launches = 0;
  double total_us = 0;
  double share = 0;
};

struct Ranking {
  std::string source;   // of the profile
  std::string program;  // that was profiled
  std::string part;     // of the program that was taken, in words; empty: all of it
  int repetitions = 1;  // ranges or iterations in that part
  std::vector<driver::DeviceInfo> devices;
  std::vector<Process> processes;
  std::int64_t asked = kUnknown;  // Profile's
  std::int64_t graph_launches = 0;
  std::int64_t lost = 0;
  std::vector<std::string> warnings;
  Totals totals;
  std::vector<OriginShare> origins;   // by time
  std::vector<RankedKernel> kernels;  // by total_us, the largest first
};

[[nodiscard]] Ranking ranked(const Profile& profile);

}  // namespace autokernel::programs
