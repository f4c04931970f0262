#include "driver/emulator_fault.h"

#include <algorithm>

namespace autokernel::driver {
namespace {

// Ours are in the order of the library's. A number of a later library's is the first, "unknown".
static_assert(static_cast<int>(FaultKind::bad_call) == EMU_FAULT_BAD_CALL);
static_assert(static_cast<int>(AccessKind::atomic) == EMU_ACCESS_ATOMIC - EMU_ACCESS_LOAD);
static_assert(static_cast<int>(MemoryKind::null) == EMU_MEMORY_NULL);
template <typename Kind>
Kind kind_of(std::uint32_t number, Kind last) {
  return number <= static_cast<std::uint32_t>(last) ? static_cast<Kind>(number) : Kind{};
}

FaultedAccess access_of(const EmuFault& reported) {
  FaultedAccess access;
  access.kind = kind_of(reported.access - EMU_ACCESS_LOAD, AccessKind::atomic);
  access.memory = kind_of(reported.memory, MemoryKind::null);
  access.address = reported.address;
  access.bytes = reported.bytes;
  access.alignment = std::max<std::uint64_t>(reported.alignment, 1);
  access.begin = reported.begin;
  access.end = reported.end;
  access.variable = reported.variable;
  access.variable_begin = reported.variable_begin;
  access.variable_end = reported.variable_end;
  return access;
}

}  // namespace

void take_over(const EmuFault& reported, Fault& fault) {
  if (reported.size != sizeof reported) return;
  fault.kind = kind_of(reported.kind, FaultKind::bad_call);
  if (*reported.text != '\0') fault.text = reported.text;
  FaultDetail detail;
  detail.instruction = reported.instruction;
  detail.ptx_line = reported.ptx_line;
  for (std::uint32_t i = 0; i < reported.line_count; ++i) {
    const std::string file = reported.lines[i].file;
    detail.lines.push_back({file.substr(file.rfind('/') + 1), reported.lines[i].line});
  }
  detail.line_to_look_at = reported.line_to_look_at;
  detail.address_line = reported.address_line;
  if (reported.has_thread != 0) {
    FaultThread& thread = detail.thread.emplace();
    std::ranges::copy(reported.thread, thread.thread.begin());
    std::ranges::copy(reported.block, thread.block.begin());
  }
  if (reported.access != EMU_ACCESS_NONE) detail.access = access_of(reported);
  fault.detail = std::move(detail);
}

}  // namespace autokernel::driver
