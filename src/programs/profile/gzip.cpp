#include "programs/profile/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/owned.h"

namespace autokernel::programs {
namespace {

constexpr std::size_t kExpandedAtOnce = std::size_t{256} << 10U;
// As zlib wants to be told: the largest window, and gzip's header around the data.
constexpr int kGzipWindow = 15 + 16;

[[nodiscard]] Owned<z_stream*> new_inflation(const std::string& attempt) {
  auto stream = std::make_unique<z_stream>();
  if (inflateInit2(stream.get(), kGzipWindow) != Z_OK) {
    throw Error(Stop::environment, attempt + ": there is not enough memory [inflateInit2]");
  }
  return {stream.release(), [](z_stream* ended) {
            inflateEnd(ended);
            delete ended;
          }};
}

class Expansion {
 public:
  Expansion(Pieces compressed, std::string attempt, const ExpansionLimits& limits)
      : compressed_(std::move(compressed)),
        attempt_(std::move(attempt)),
        limits_(limits),
        owner_(new_inflation(attempt_)),
        stream_(*owner_.get()) {}

  [[nodiscard]] std::string_view next() {
    while (!ended_) {
      if (stream_.avail_in == 0 && !read_more()) throw cut();
      if (between_parts_ && !begin_part()) continue;
      const std::size_t made = inflate_some();
      if (made > 0) return std::string_view(buffer_).substr(0, made);
    }
    return {};
  }

 private:
  // False at the end of the file.
  bool read_more() {
    const std::string_view piece = compressed_();
    read_ += piece.size();
    // zlib does not write there, but its interface has no const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    if (piece.empty() && between_parts_) ended_ = true;
    return !piece.empty() || ended_;
  }

  // Whether there is another part. Zeros may follow the last one: tapes have blocks.
  bool begin_part() {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in == 0) return false;
    inflateReset(&stream_);
    between_parts_ = false;
    return true;
  }

  [[nodiscard]] std::size_t inflate_some() {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_out = static_cast<uInt>(buffer_.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      between_parts_ = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw damaged();
    }
    const std::size_t made = buffer_.size() - stream_.avail_out;
    expanded_ += made;
    check_size();
    return made;
  }

  void check_size() const {
    if (expanded_ > limits_.most_bytes) {
      throw Error(Stop::usage,
                  fmt::format("{}: it expands to more than {} bytes; record fewer steps of the "
                              "program",
                              attempt_, limits_.most_bytes));
    }
    if (expanded_ > limits_.unsuspicious &&
        expanded_ / limits_.most_per_byte > std::max<std::uint64_t>(consumed(), 1)) {
      throw Error(Stop::usage,
                  fmt::format("{}: it expands to more than {} times its size, as no trace does",
                              attempt_, limits_.most_per_byte));
    }
  }

  [[nodiscard]] std::uint64_t consumed() const { return read_ - stream_.avail_in; }

  [[nodiscard]] Error cut() const {
    return {Stop::usage,
            fmt::format("{}: it is cut: the compressed data end at byte {}, before their end; copy "
                        "the file again",
                        attempt_, consumed())};
  }

  [[nodiscard]] Error damaged() const {
    return {Stop::usage,
            fmt::format("{}: its compressed data are damaged near byte {}; copy the file again",
                        attempt_, consumed())};
  }

  Pieces compressed_;
  std::string attempt_;
  ExpansionLimits limits_;
  Owned<z_stream*> owner_;
  z_stream& stream_;
  std::string buffer_ = std::string(kExpandedAtOnce, '\0');
  std::uint64_t read_ = 0;      // bytes of the file
  std::uint64_t expanded_ = 0;  // bytes made of them
  bool between_parts_ = false;
  bool ended_ = false;
};

}  // namespace

bool is_gzip(std::string_view beginning) { return beginning.starts_with("\x1f\x8b"); }

Pieces expanded(Pieces compressed, std::string attempt, const ExpansionLimits& limits) {
  return [expansion = std::make_shared<Expansion>(std::move(compressed), std::move(attempt),
                                                  limits)] { return expansion->next(); };
}

}  // namespace autokernel::programs
