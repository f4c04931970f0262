// The operations of a trace, each once however often it was executed with the same inputs.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "autokernel/programs/profile.h"
#include "programs/profile/kept_memory.h"
#include "programs/profile/trace_event.h"

namespace autokernel::programs {

class OperationTable {
 public:
  explicit OperationTable(KeptMemory& memory) : memory_(memory) {}

  [[nodiscard]] std::uint32_t index_of(const TraceEvent& event);
  [[nodiscard]] const Operation& operation(std::uint32_t index) const { return operations_[index]; }

 private:
  KeptMemory& memory_;
  std::unordered_map<std::string, std::uint32_t> indices_;  // by all that distinguishes them
  std::vector<Operation> operations_;
};

}  // namespace autokernel::programs
