#include "programs/capture/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include "autokernel/base/visible_text.h"

namespace autokernel::programs {
namespace {

// Behind each piece, to see whether a launch writes there.
constexpr std::uint64_t kGuardBytes = 64 << 10;

[[nodiscard]] std::array<std::uint32_t, 3> as_array(const Extent& extent) {
  return {extent.x, extent.y, extent.z};
}

}  // namespace

std::vector<Piece> whole_ranges(const CapturedLaunch& launch) {
  std::vector<Piece> pieces;
  pieces.reserve(launch.ranges.size());
  for (std::size_t i = 0; i < launch.ranges.size(); ++i) {
    pieces.push_back({.range = i, .begin = 0, .end = launch.ranges[i].before.size()});
  }
  return pieces;
}

// As far from a multiple of the alignment as in the program.
driver::Address Replay::address(std::size_t piece) const {
  const Piece& own = pieces_[piece];
  return buffers_[piece].address() +
         (launch_.ranges[own.range].kept + own.begin) % kReplayAlignment;
}

Replay::Replay(const CapturedLaunch& launch, const driver::Device& device,
               std::vector<Piece> pieces, Guard guard)
    : launch_(launch),
      device_(device),
      guard_(static_cast<std::byte>(guard)),
      pieces_(std::move(pieces)),
      stream_(device.make_stream()),
      bytes_(launch.bytes) {
  for (const Piece& piece : pieces_) {
    buffers_.push_back(device.allocate(piece.end - piece.begin + kReplayAlignment + kGuardBytes));
  }
  const std::vector<std::byte> behind(kGuardBytes, guard_);
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    device_.copy_in(address(p) + (pieces_[p].end - pieces_[p].begin), behind);
  }
  for (const CapturedPointer& pointer : launch.pointers) {
    const auto range = std::ranges::find_if(launch.ranges, [&](const CapturedRange& candidate) {
      return pointer.address >= candidate.base &&
             pointer.address < candidate.base + candidate.bytes;
    });
    if (range == launch.ranges.end()) continue;
    if (pointer.address < range->kept || pointer.address - range->kept >= range->before.size()) {
      trouble_ = "it points to memory that was too large to be kept: raise --budget";
      return;
    }
    const std::uint64_t offset = pointer.address - range->kept;
    const auto index = static_cast<std::size_t>(range - launch.ranges.begin());
    const auto piece = std::ranges::find_if(pieces_, [&](const Piece& candidate) {
      return candidate.range == index && offset >= candidate.begin && offset < candidate.end;
    });
    if (piece == pieces_.end()) continue;
    const std::uint64_t own =
        address(static_cast<std::size_t>(piece - pieces_.begin())) + (offset - piece->begin);
    std::memcpy(bytes_.data() + pointer.offset, &own, sizeof own);
  }

  std::vector<std::byte> image = launch.image;
  image.push_back(std::byte{0});  // of a text
  driver::Loading loading = device.load(image);
  if (const auto* fault = std::get_if<driver::Fault>(&loading)) {
    trouble_ = "its code cannot be loaded here: " + visible_line(fault->text);
    return;
  }
  module_ = std::move(std::get<driver::Module>(loading));
  kernel_ = module_->kernel(launch.kernel);
  if (!kernel_) {
    trouble_ = fmt::format("its code has no kernel {}", visible_line(launch.kernel));
    return;
  }
  shape_ = {.grid = as_array(launch.grid),
            .block = as_array(launch.block),
            .shared_bytes = launch.dynamic_shared,
            .cluster = as_array(launch.cluster),
            .cooperative = launch.cooperative};
  if (const auto fault = device.allow(*kernel_, shape_)) {
    trouble_ = "it cannot be launched in that shape here: " + visible_line(fault->text);
  }
}

void Replay::write(std::size_t piece, std::uint64_t offset,
                   std::span<const std::byte> bytes) const {
  device_.copy_in(address(piece) + offset, bytes);
}

void Replay::read(std::size_t piece, std::span<std::byte> bytes) const {
  device_.copy_out(bytes, address(piece));
}

bool Replay::keeps_within() const {
  std::vector<std::byte> guard(kGuardBytes);
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    device_.copy_out(guard, address(p) + (pieces_[p].end - pieces_[p].begin));
    if (!std::ranges::all_of(guard, [&](std::byte byte) { return byte == guard_; })) return false;
  }
  return true;
}

std::optional<std::string> Replay::run() const {
  if (!kernel_) return trouble_;
  std::vector<void*> parameters;
  for (const driver::Parameter& parameter : kernel_->parameters()) {
    if (parameter.offset + parameter.bytes > bytes_.size()) return "its parameters are incomplete";
    parameters.push_back(const_cast<std::byte*>(bytes_.data()) + parameter.offset);
  }
  if (const auto fault = stream_.launch(*kernel_, shape_, parameters)) {
    return visible_line(fault->text);
  }
  if (const auto fault = stream_.wait()) return visible_line(fault->text);
  return std::nullopt;
}

}  // namespace autokernel::programs
