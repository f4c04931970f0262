#include "perf/prepared_kernel.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <stdexcept>

namespace emulator::perf {

PreparedKernel::PreparedKernel(const Program& program, const jit::CompiledKernel& kernel,
                               runtime::Memory& memory)
    : parameters_(kernel.parameter_bytes), engine_(runtime::default_workers()) {
  for (const std::size_t bytes : program.buffers) {
    buffers_.push_back(memory.allocate(bytes, runtime::AllocationKind::device));
    std::memset(buffer(buffers_.size() - 1), 0, bytes);
  }
  std::memcpy(parameters_.data(), buffers_.data(),
              std::min(parameters_.size(), buffers_.size() * sizeof(std::uint64_t)));
  addresses_ = memory.snapshot();
  launch_.function = kernel.function;
  launch_.unit = kernel.unit;
  launch_.may_suspend = kernel.uses_barriers;
  launch_.sites = kernel.sites;
  launch_.parameters = parameters_;
  launch_.grid = program.grid;
  launch_.block = program.block;
  launch_.shared_bytes = kernel.static_shared_bytes + program.dynamic_shared_bytes;
  launch_.dynamic_shared_bytes = program.dynamic_shared_bytes;
  launch_.local_bytes_per_thread = kernel.local_bytes_per_thread;
  launch_.addresses = addresses_.get();
  launch_.prints = &prints_;
}

void* PreparedKernel::buffer(std::size_t index) const {
  return std::bit_cast<void*>(buffers_.at(index));
}

double PreparedKernel::launch() {
  const auto begin = std::chrono::steady_clock::now();
  if (const auto fault = engine_.run(launch_)) throw std::runtime_error(fault->text);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace emulator::perf
