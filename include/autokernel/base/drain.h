// Reading what another process has written so far.
#pragma once

#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "autokernel/base/descriptor.h"

namespace autokernel {

// Hands on what can be read now from a descriptor that does not block; closes it where nothing will
// follow.
template <typename Take>
void drain(Descriptor& from, Take take) {
  // Whoever writes as fast as this reads must not keep its caller from the clock.
  constexpr int kMostPieces = 64;
  std::array<char, 65536> piece{};
  for (int i = 0; i < kMostPieces && from.is_open(); ++i) {
    const ssize_t count = ::read(from.get(), piece.data(), piece.size());
    if (count > 0) {
      take(std::string_view(piece.data(), static_cast<std::size_t>(count)));
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else if (count < 0 && errno == EAGAIN) {
      return;
    } else {
      from.close();
    }
  }
}

}  // namespace autokernel
