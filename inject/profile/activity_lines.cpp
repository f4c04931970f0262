#include "activity_lines.h"

#include <cstring>

#include "line.h"

namespace recording {
namespace {

constexpr std::size_t kMostOfLine = 512;

// As CUpti_ActivityMemcpyKind numbers them.
constexpr std::array<std::string_view, 11> kCopies = {
    "other", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};

std::string_view copy_kind(std::uint8_t number) {
  return number < kCopies.size() ? kCopies[number] : kCopies[0];
}

// CUPTI leaves the times 0 where it did not get them, or the work had not ended.
bool has_times(std::uint64_t start, std::uint64_t end) { return start != 0 && end >= start; }

std::uint64_t shifted(std::uint64_t time, std::int64_t by) {
  return time + static_cast<std::uint64_t>(by);
}

std::uint64_t as_unsigned(std::int32_t value) {
  return static_cast<std::uint64_t>(value < 0 ? 0 : value);
}

}  // namespace

void ActivityLines::add(const cupti::Activity& record, std::int64_t to_our_clock) {
  switch (record.kind) {
    case cupti::kConcurrentKernel:
      add_kernel(reinterpret_cast<const cupti::Kernel&>(record), to_our_clock);
      return;
    case cupti::kMemcpy: {
      const auto& copy = reinterpret_cast<const cupti::Memcpy&>(record);
      add_transfer(copy, copy_kind(copy.copy_kind), to_our_clock);
      return;
    }
    case cupti::kPeerMemcpy:
      add_transfer(reinterpret_cast<const cupti::PeerMemcpy&>(record), "PtoP", to_our_clock);
      return;
    case cupti::kMemset:
      add_transfer(reinterpret_cast<const cupti::Memset&>(record), "fill", to_our_clock);
      return;
    default:  // of a kind that another user of CUPTI has asked for
      return;
  }
}

void ActivityLines::add_kernel(const cupti::Kernel& kernel, std::int64_t to_our_clock) {
  if (kernel.graph_node == 0) ++accounted_for_;
  if (!has_times(kernel.start, kernel.end)) {
    add_lost(1);
    return;
  }
  const std::uint64_t name = name_id(kernel.name);
  std::array<char, kMostOfLine> room;  // NOLINT(*-member-init)
  Line line{room, 'K'};
  line.number(name)
      .number(shifted(kernel.start, to_our_clock))
      .number(shifted(kernel.end, to_our_clock))
      .number(std::uint64_t{kernel.device})
      .number(std::uint64_t{kernel.stream})
      .number(std::uint64_t{kernel.correlation});
  for (const std::int32_t extent : {kernel.grid_x, kernel.grid_y, kernel.grid_z, kernel.block_x,
                                    kernel.block_y, kernel.block_z}) {
    line.number(as_unsigned(extent));
  }
  line.number(std::uint64_t{kernel.registers_per_thread})
      .number(as_unsigned(kernel.static_shared))
      .number(as_unsigned(kernel.dynamic_shared))
      .number(std::uint64_t{kernel.graph_node != 0});
  append(line.done());
}

template <typename Record>
void ActivityLines::add_transfer(const Record& record, std::string_view kind,
                                 std::int64_t to_our_clock) {
  if (!has_times(record.start, record.end)) {
    add_lost(1);
    return;
  }
  std::array<char, kMostOfLine> room;  // NOLINT(*-member-init)
  append(Line{room, 'C'}
             .text(kind)
             .number(shifted(record.start, to_our_clock))
             .number(shifted(record.end, to_our_clock))
             .number(std::uint64_t{record.device})
             .number(std::uint64_t{record.stream})
             .number(std::uint64_t{record.correlation})
             .number(std::uint64_t{record.bytes})
             .number(std::uint64_t{record.graph_node != 0})
             .done());
}

void ActivityLines::add_lost(std::uint64_t count) {
  std::array<char, 64> room;  // NOLINT(*-member-init)
  append(Line{room, 'X'}.number(count).done());
}

std::uint64_t ActivityLines::name_id(const char* name) {
  const std::string_view text = name == nullptr ? "?" : name;
  const TextIds::Id id = names_.of(text);
  if (id.is_new || (id.number == 0 && !other_names_)) {
    if (id.number == 0) other_names_ = true;
    if (lines_.size() - used_ < kMostOfName + kMostOfLine) write();
    Line line{std::span{lines_}.subspan(used_), 'N'};
    used_ += line.number(std::uint64_t{id.number})
                 .text(id.number == 0 ? "(other kernels)" : text, kMostOfName)
                 .done()
                 .size();
  }
  return id.number;
}

void ActivityLines::append(std::string_view line) {
  if (lines_.size() - used_ < line.size()) write();
  std::memcpy(lines_.data() + used_, line.data(), line.size());
  used_ += line.size();
}

void ActivityLines::write() {
  file_.write({lines_.data(), used_});
  used_ = 0;
}

}  // namespace recording
