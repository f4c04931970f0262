#include "trial/launch/fault_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "autokernel/compile/program.h"

namespace autokernel::trial {
namespace {

using driver::AccessKind;
using driver::FaultedAccess;
using driver::MemoryKind;

// A stretch of memory as messages name it.
struct Named {
  std::string name;
  std::string whole;  // "it", or what the name is a part of
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t element_bytes = 0;
};

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

const char* verb(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
      return "load";
    case AccessKind::store:
      return "store";
    case AccessKind::atomic:
      return "atomic operation";
  }
  return "access";
}

// The memory the access went to, or missed, where it has a name.
std::optional<Named> named(const FaultedAccess& access, std::span<const NamedBuffer> buffers) {
  switch (access.memory) {
    case MemoryKind::device: {
      const auto found = std::ranges::find(buffers, access.begin, &NamedBuffer::begin);
      if (found == buffers.end() || access.end - access.begin != found->bytes) return std::nullopt;
      return Named{found->name, "it", access.begin, access.end, found->element_bytes};
    }
    case MemoryKind::variable:
      return Named{compile::source_name(access.variable), "it", access.begin, access.end, 0};
    case MemoryKind::shared:
      if (access.variable.empty()) return std::nullopt;
      return Named{compile::source_name(access.variable), "the __shared__ variable",
                   access.variable_begin, access.variable_end, 0};
    case MemoryKind::local:
      return Named{"the thread's local memory", "it", access.begin, access.end, 0};
    default:
      return std::nullopt;
  }
}

std::string extent(const Named& memory) {
  const std::uint64_t bytes = memory.end - memory.begin;
  return memory.element_bytes == 0 ? fmt::format("{} has {}", memory.whole, counted(bytes, "byte"))
                                   : fmt::format("{} has {}", memory.whole,
                                                 counted(bytes / memory.element_bytes, "element"));
}

// Addresses wrap: what was computed below the beginning of shared memory lies far behind its end.
std::int64_t offset_of(const FaultedAccess& access, const Named& memory) {
  const auto offset = static_cast<std::int64_t>(access.address - memory.begin);
  const bool is_window = access.memory == MemoryKind::shared;
  const auto narrow = static_cast<std::int32_t>(access.address);
  if (is_window && access.address <= UINT32_MAX && narrow < 0) {
    return narrow - static_cast<std::int64_t>(memory.begin);
  }
  return offset;
}

// "A[131072]", or "byte 6 of A".
std::string element(const Named& memory, std::int64_t offset) {
  const auto size = static_cast<std::int64_t>(memory.element_bytes);
  if (size != 0 && offset % size == 0) return fmt::format("{}[{}]", memory.name, offset / size);
  return fmt::format("byte {} of {}", offset, memory.name);
}

// "one", "7"; of bytes "1 byte", "7 bytes".
std::string distance(std::int64_t count, bool of_elements) {
  if (!of_elements) return counted(static_cast<std::uint64_t>(count), "byte");
  return count == 1 ? "one" : std::to_string(count);
}

// ", one past its end (it has 131072 elements)".
std::string miss(const Named& memory, const FaultedAccess& access, std::int64_t offset) {
  const auto size = static_cast<std::int64_t>(memory.element_bytes);
  const bool of_elements = size != 0 && offset % size == 0;
  const auto room = static_cast<std::int64_t>(memory.end - memory.begin);
  const auto length = static_cast<std::int64_t>(access.bytes);
  if (offset < 0) {
    return fmt::format(", {} before its beginning",
                       distance(of_elements ? -offset / size : -offset, of_elements));
  }
  if (offset == room && !of_elements)
    return fmt::format(", right behind its end ({})", extent(memory));
  if (offset >= room) {
    // The element behind the last one is one past the end.
    return fmt::format(
        ", {} past its end ({})",
        distance(of_elements ? (offset - room) / size + 1 : offset - room, of_elements),
        extent(memory));
  }
  return fmt::format(", of which {} past its end ({})",
                     counted(static_cast<std::uint64_t>(offset + length - room), "byte") +
                         (offset + length - room == 1 ? " lies" : " lie"),
                     extent(memory));
}

std::string by_thread(const driver::FaultDetail& detail) {
  if (!detail.thread) return "";
  return fmt::format(", by thread ({}) of block ({})", fmt::join(detail.thread->thread, ","),
                     fmt::join(detail.thread->block, ","));
}

// ": ld.global.f32 %f1, [%rd6], whose address was computed on line 5"
std::string shown(const driver::FaultDetail& detail) {
  if (detail.instruction.empty()) return "";
  const std::string from =
      detail.address_line == 0
          ? ""
          : fmt::format(", whose address was computed on line {}", detail.address_line);
  return ": " + detail.instruction + from;
}

std::optional<std::string> words_of_access(const driver::Fault& fault,
                                           const driver::FaultDetail& detail,
                                           const FaultedAccess& access,
                                           std::span<const NamedBuffer> buffers) {
  const std::optional<Named> memory = named(access, buffers);
  if (!memory) return std::nullopt;
  const std::int64_t offset = offset_of(access, *memory);
  const auto room = static_cast<std::int64_t>(memory->end - memory->begin);
  const auto length = static_cast<std::int64_t>(access.bytes);
  const std::string what = fmt::format(" {} of {} at {}", verb(access.kind),
                                       counted(access.bytes, "byte"), element(*memory, offset));
  if (fault.kind == driver::FaultKind::misaligned) {
    return fmt::format("misaligned{}, whose address is {} past a multiple of {}{}{}", what,
                       counted(access.address % access.alignment, "byte"), access.alignment,
                       by_thread(detail), shown(detail));
  }
  // In its bounds it is another thing that is wrong with it: constant memory, another state space.
  if (offset >= 0 && offset + length <= room) return std::nullopt;
  return "out-of-bounds" + what + miss(*memory, access, offset) + by_thread(detail) + shown(detail);
}

// The words name the place as well, which stands before them.
std::string without_place(std::string text, const driver::Fault& fault) {
  const std::string place = place_of(fault);
  if (place.empty() || !fault.detail) return text;
  const std::string again = fmt::format(", {} (PTX line {})", place, fault.detail->ptx_line);
  const std::size_t at = text.find(again);
  if (at != std::string::npos) text.erase(at, again.size());
  return text;
}

}  // namespace

std::string place_of(const driver::Fault& fault) {
  if (!fault.detail || fault.detail->line_to_look_at >= fault.detail->lines.size()) return "";
  const driver::SourceLine& line = fault.detail->lines[fault.detail->line_to_look_at];
  return fmt::format("{}:{}", line.file, line.line);
}

std::string fault_text(const driver::Fault& fault, std::span<const NamedBuffer> buffers) {
  const bool is_access =
      fault.kind == driver::FaultKind::out_of_bounds || fault.kind == driver::FaultKind::misaligned;
  if (is_access && fault.detail && fault.detail->access) {
    if (auto words = words_of_access(fault, *fault.detail, *fault.detail->access, buffers)) {
      return *std::move(words);
    }
  }
  return without_place(fault.text, fault);
}

}  // namespace autokernel::trial
