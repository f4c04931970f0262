// A kernel that is compiled, with its buffers, to be launched as often as wanted.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "jit/compiler.h"
#include "perf/kernel_times.h"
#include "runtime/address_map.h"
#include "runtime/engine.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/print_buffer.h"

namespace emulator::perf {

class PreparedKernel {
 public:
  // Allocates the buffers in `memory`, full of zeros. Both live longer than this.
  PreparedKernel(const Program& program, const jit::CompiledKernel& kernel,
                 runtime::Memory& memory);

  [[nodiscard]] void* buffer(std::size_t index) const;
  // How many seconds one launch took. Throws std::runtime_error where the kernel faults.
  double launch();

 private:
  std::vector<std::uint64_t> buffers_;
  std::vector<std::uint8_t> parameters_;
  std::shared_ptr<const runtime::AddressMap> addresses_;
  runtime::PrintBuffer prints_;
  runtime::Launch launch_;
  runtime::Engine engine_;
};

}  // namespace emulator::perf
