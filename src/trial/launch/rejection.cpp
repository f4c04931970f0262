#include "trial/launch/rejection.h"

#include <cuda.h>
#include <fmt/format.h>

namespace autokernel::trial {
namespace {

constexpr int kReasonLines = 3;

// What an access missed; only the emulated device says it.
Cause cause_of_access(const driver::Fault& fault) {
  if (!fault.detail || !fault.detail->access) return Cause::out_of_bounds;
  switch (fault.detail->access->memory) {
    case driver::MemoryKind::shared:
      return Cause::out_of_shared;
    case driver::MemoryKind::local:
      return Cause::out_of_local;
    case driver::MemoryKind::null:
      return Cause::null_pointer;
    default:
      return Cause::out_of_bounds;
  }
}

Cause cause_of(const driver::Fault& fault) {
  switch (fault.kind) {
    case driver::FaultKind::out_of_bounds:
      return cause_of_access(fault);
    case driver::FaultKind::misaligned:
      return Cause::misaligned;
    case driver::FaultKind::trap:
      return Cause::trap;
    case driver::FaultKind::assertion:
      return Cause::assertion;
    case driver::FaultKind::barrier:
      return Cause::barrier;
    case driver::FaultKind::bad_instruction:
      return Cause::instruction;
    case driver::FaultKind::bad_call:
      return Cause::bad_call;
    case driver::FaultKind::stack:
      return Cause::stack;
    case driver::FaultKind::unsupported:
    case driver::FaultKind::unknown:
      break;
  }
  return Cause::unknown;
}

// "kernel.cu:27: "
std::string place_before(const driver::Fault& fault) {
  const std::string place = place_of(fault);
  return place.empty() ? "" : place + ": ";
}

// Where the line was inlined, the lines that led to it.
std::string way_in(const driver::Fault& fault) {
  if (!fault.detail || fault.detail->lines.size() < 2) return "";
  std::string way = "\nthe line, and those that called it: ";
  for (std::size_t i = 0; i < fault.detail->lines.size(); ++i) {
    const driver::SourceLine& line = fault.detail->lines[i];
    way += fmt::format("{}{}:{}", i == 0 ? "" : ", ", line.file, line.line);
  }
  return way;
}

// What to change where the device refuses a launch.
const char* advice_on(const driver::Fault& fault) {
  switch (fault.code) {
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
      return "all blocks of a .cooperative launch run at once: write a smaller .grid, and let each "
             "block do several tiles";
    case CUDA_ERROR_INVALID_CLUSTER_SIZE:
      return "no such cluster fits: write fewer blocks in .cluster, or give each less shared "
             "memory "
             "or fewer threads";
    default:
      return "change AUTOKERNEL_LAUNCH";
  }
}

// The compiler has assembled the same PTX: what the emulated device does not take, it lacks.
Rejection unsupported(const driver::Fault& fault) {
  const std::string in_ptx =
      fault.detail ? fmt::format(" (PTX line {})", fault.detail->ptx_line) : "";
  return {Verdict::unsupported,
          fmt::format("{}the emulated device lacks what this needs: {}{}", place_before(fault),
                      first_lines(fault.text, kReasonLines), in_ptx),
          fault.text + way_in(fault)};
}

}  // namespace

std::string first_lines(const std::string& text, int lines) {
  std::size_t end = 0;
  for (int line = 0; line < lines && end != std::string::npos; ++line) {
    end = text.find('\n', line == 0 ? 0 : end + 1);
  }
  return text.substr(0, end);
}

Rejection rejection(const driver::Fault& fault, const std::string& launches,
                    const std::string& occasion, std::span<const NamedBuffer> buffers) {
  if (fault.kind == driver::FaultKind::unsupported) return unsupported(fault);
  const std::string brief =
      fmt::format("{} ({}, {}) [{}]", first_lines(fault_text(fault, buffers), kReasonLines),
                  fault.name, fault.code, fault.call);
  switch (fault.occasion) {
    case driver::Occasion::load:
      return {Verdict::does_not_compile, "the device does not take the code: " + brief, fault.text};
    case driver::Occasion::launch:
      return {Verdict::crashed,
              fmt::format("the device refuses the launch of {}: {}; {}", launches, brief,
                          advice_on(fault)),
              fault.text};
    case driver::Occasion::run:
      return {Verdict::crashed, place_before(fault) + fmt::format("{}: {}", occasion, brief),
              fmt::format("{}{}\nin the launch of {}, {}", fault.text, way_in(fault), launches,
                          occasion),
              cause_of(fault)};
  }
  return {};
}

}  // namespace autokernel::trial
