// Whole messages over a pipe. Shared by the two programs, both fixed.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

// A length, and as many bytes. Lengths are 32 bits in the machine's order, little-endian on x86-64.
inline void append_length(std::string& to, std::size_t length) {
  const auto word = static_cast<std::uint32_t>(length);
  char bytes[sizeof word];
  std::memcpy(bytes, &word, sizeof word);
  to.append(bytes, sizeof word);
}

// Takes the length from the front of `from`, which has one.
[[nodiscard]] inline std::size_t take_length(std::string_view& from) {
  std::uint32_t word = 0;
  std::memcpy(&word, from.data(), sizeof word);
  from.remove_prefix(sizeof word);
  return word;
}

[[nodiscard]] inline bool read_exactly(int pipe, char* to, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = ::read(pipe, to, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

[[nodiscard]] inline bool write_exactly(int pipe, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(pipe, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

// At most `limit` bytes, into `message`, whose memory is used again; false at the end of the pipe.
[[nodiscard]] inline bool read_message(int pipe, std::string& message, std::size_t limit) {
  std::uint32_t length = 0;
  if (!read_exactly(pipe, reinterpret_cast<char*>(&length), sizeof length)) return false;
  if (length > limit) return false;
  message.resize(length);
  return read_exactly(pipe, message.data(), length);
}
