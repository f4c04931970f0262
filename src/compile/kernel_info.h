// What the image says of one kernel: how its parameters lie and what it needs. The driver goes by
// the same attributes, so that neither a comment nor a name can make the two disagree.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/compile/program.h"
#include "compile/elf.h"

namespace autokernel::compile {

struct KernelInfo {
  std::vector<Parameter> parameters;  // in order
  // The block that __launch_bounds__ allows (.maxntid, .reqntid); none where it is not said.
  std::optional<std::array<std::uint32_t, 3>> most_threads;
  // The cluster that __cluster_dims__ prescribes (.reqnctapercluster); none where it is not said.
  std::optional<std::array<std::uint32_t, 3>> cluster;
  std::uint32_t most_blocks_per_cluster = 0;  // by __launch_bounds__ (.maxclusterrank); 0: not said
  std::uint32_t registers = 0;                // per thread
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t local_bytes = 0;  // stack frame, per thread
};

// Of the __global__ function `kernel`, which the image must have. Throws BadElf, also where its
// parameters do not fill the bytes that a launch of it hands over.
[[nodiscard]] KernelInfo kernel_info(const Elf& elf, const std::string& kernel);

}  // namespace autokernel::compile
