// Where a source launches its kernels, and with what.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "bridge/cuda_source/host_values.h"

namespace autokernel::bridge {

struct KernelLaunch {
  const Function* kernel = nullptr;
  bool is_ambiguous = false;             // there are others of that name that fit as well
  Node place;                            // the call
  const Frame* frame = nullptr;          // of the function around it
  std::vector<Node> template_arguments;  // as they are written there
  std::array<Value, 3> grid;             // null where the text does not say
  std::array<Value, 3> block;
  std::array<Value, 3> cluster;  // null: none
  Value shared_bytes;            // null: none
  bool has_shared_bytes = false;
  bool cooperative = false;
  bool programmatic = false;
  std::vector<Node> arguments;
};

// In the order of the text: <<<>>>, cudaLaunchKernel, cudaLaunchCooperativeKernel and
// cudaLaunchKernelEx. Those of functions that the source does not define are left out.
[[nodiscard]] std::vector<KernelLaunch> launches_of(const Source& source, HostValues& values);

// Those of one call.
[[nodiscard]] std::vector<KernelLaunch> launches_at(const Source& source, HostValues& values,
                                                    const Node& call);

}  // namespace autokernel::bridge
