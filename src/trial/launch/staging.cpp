#include "trial/launch/staging.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "autokernel/base/parallel.h"

namespace autokernel::trial {
namespace {

// A tensor of the default case with its guard bands is 2.1 MiB. Page-locking takes some 0.3 ms for
// each MiB, and a piece of this size is long beside what a copy costs whatever its length.
constexpr std::size_t kPiece = std::size_t{4} << 20U;

[[nodiscard]] bool are_same(std::span<const std::byte> one, std::span<const std::byte> other) {
  std::atomic<bool> same = true;
  in_parallel_over_bytes(one.size(), [&](std::size_t first, std::size_t end) {
    // memcmp takes no null pointer, not even for no bytes.
    if (first < end && std::memcmp(one.data() + first, other.data() + first, end - first) != 0) {
      same = false;
    }
  });
  return same;
}

}  // namespace

Staging::Staging(const driver::Device& device)
    : device_(&device), memory_(device.allocate_mapped(kPiece)) {}

void Staging::copy_in(driver::Address to,
                      std::initializer_list<std::span<const std::byte>> parts) const {
  const std::span room(static_cast<std::byte*>(memory_.host()), kPiece);
  std::size_t used = 0;
  const auto send = [&] {
    device_->copy_in(to, room.first(used));
    to += used;
    used = 0;
  };
  for (std::span<const std::byte> part : parts) {
    while (!part.empty()) {
      const std::size_t count = std::min(part.size(), room.size() - used);
      copy_in_parallel(part.first(count), room.subspan(used, count));
      part = part.subspan(count);
      used += count;
      if (used == room.size()) send();
    }
  }
  if (used > 0) send();
}

void Staging::copy_out(driver::Address from, std::size_t bytes, const Look& look) const {
  const std::span room(static_cast<std::byte*>(memory_.host()), kPiece);
  for (std::size_t begin = 0; begin < bytes;) {
    const auto piece = room.first(std::min(bytes - begin, room.size()));
    device_->copy_out(piece, from + begin);
    look(piece, begin);
    begin += piece.size();
  }
}

void Staging::copy_out(driver::Address from, std::span<std::byte> to) const {
  copy_out(from, to.size(), [&](std::span<const std::byte> piece, std::size_t begin) {
    copy_in_parallel(piece, to.subspan(begin, piece.size()));
  });
}

bool Staging::holds(driver::Address at,
                    std::initializer_list<std::span<const std::byte>> parts) const {
  std::size_t bytes = 0;
  for (const auto& part : parts) bytes += part.size();
  bool same = true;
  copy_out(at, bytes, [&](std::span<const std::byte> piece, std::size_t begin) {
    std::size_t part_begin = 0;
    for (const auto& part : parts) {
      const std::size_t first = std::max(begin, part_begin);
      const std::size_t end = std::min(begin + piece.size(), part_begin + part.size());
      if (first < end) {
        same = same && are_same(part.subspan(first - part_begin, end - first),
                                piece.subspan(first - begin, end - first));
      }
      part_begin += part.size();
    }
  });
  return same;
}

}  // namespace autokernel::trial
