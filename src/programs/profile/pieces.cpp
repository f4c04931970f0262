#include "programs/profile/pieces.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/system_error.h"

namespace autokernel::programs {
namespace {

// As many as the pipeline of decompression and parsing keeps in the second-level cache.
constexpr std::size_t kReadAtOnce = std::size_t{256} << 10U;

}  // namespace

Pieces pieces_of(std::shared_ptr<const Descriptor> file, std::string attempt) {
  return [file = std::move(file), attempt = std::move(attempt), offset = off_t{0},
          buffer = std::make_shared<std::string>(kReadAtOnce, '\0')]() mutable -> std::string_view {
    for (;;) {
      const ssize_t count = ::pread(file->get(), buffer->data(), buffer->size(), offset);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw system_failure(Stop::usage, attempt, "pread");
      offset += count;
      return std::string_view(*buffer).substr(0, static_cast<std::size_t>(count));
    }
  };
}

Pieces pieces_of(std::string_view bytes, std::size_t at_once) {
  return [bytes, at_once]() mutable {
    const std::string_view piece = bytes.substr(0, at_once);
    bytes.remove_prefix(piece.size());
    return piece;
  };
}

}  // namespace autokernel::programs
