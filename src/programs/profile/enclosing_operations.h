// Which operation of a framework a thread was in when it made a call.
#pragma once

#include <cstdint>
#include <vector>

#include "programs/profile/launch_calls.h"

namespace autokernel::programs {

// One execution of an operation.
struct OperationSpan {
  std::uint32_t process = 0;
  std::uint32_t operation = 0;  // index of what was executed
  bool has_shapes = false;
  std::int64_t thread = kUnknown;
  Nanoseconds start = 0, end = 0;
  std::int64_t number = 0;  // that calls name it by; 0: none
};

class EnclosingOperations {
 public:
  explicit EnclosingOperations(std::vector<OperationSpan> spans);

  // The innermost execution around a call whose shapes were recorded; the innermost one where those
  // of none were; null where there is none. The call's number is believed only if the execution of
  // that number was under way: older versions of PyTorch wrote another number into its place.
  [[nodiscard]] const OperationSpan* around(const Call& call) const;
  // The same for work whose call was not recorded, by its number alone. None where executions of
  // several processes have it.
  [[nodiscard]] const OperationSpan* numbered(std::int64_t number, Nanoseconds before) const;

 private:
  [[nodiscard]] const OperationSpan* by_number(const Call& call) const;
  [[nodiscard]] const OperationSpan* by_time(const Call& call) const;
  [[nodiscard]] const OperationSpan* with_shapes(const OperationSpan* span) const;
  [[nodiscard]] const OperationSpan* parent_of(const OperationSpan& span) const;

  std::vector<OperationSpan> spans_;     // by process, thread and start; the outer one first
  std::vector<std::uint32_t> parents_;   // of each span: the index of the one around it, plus one
  std::vector<std::uint32_t> numbered_;  // indices by number and process
};

}  // namespace autokernel::programs
