#include "autokernel/base/sha256.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <vector>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/system_error.h"

namespace autokernel {
namespace {

// FIPS 180-4, 4.2.2: the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428a2f98U, 0x71374491U, 0xb5c0fbcfU, 0xe9b5dba5U, 0x3956c25bU, 0x59f111f1U, 0x923f82a4U,
    0xab1c5ed5U, 0xd807aa98U, 0x12835b01U, 0x243185beU, 0x550c7dc3U, 0x72be5d74U, 0x80deb1feU,
    0x9bdc06a7U, 0xc19bf174U, 0xe49b69c1U, 0xefbe4786U, 0x0fc19dc6U, 0x240ca1ccU, 0x2de92c6fU,
    0x4a7484aaU, 0x5cb0a9dcU, 0x76f988daU, 0x983e5152U, 0xa831c66dU, 0xb00327c8U, 0xbf597fc7U,
    0xc6e00bf3U, 0xd5a79147U, 0x06ca6351U, 0x14292967U, 0x27b70a85U, 0x2e1b2138U, 0x4d2c6dfcU,
    0x53380d13U, 0x650a7354U, 0x766a0abbU, 0x81c2c92eU, 0x92722c85U, 0xa2bfe8a1U, 0xa81a664bU,
    0xc24b8b70U, 0xc76c51a3U, 0xd192e819U, 0xd6990624U, 0xf40e3585U, 0x106aa070U, 0x19a4c116U,
    0x1e376c08U, 0x2748774cU, 0x34b0bcb5U, 0x391c0cb3U, 0x4ed8aa4aU, 0x5b9cca4fU, 0x682e6ff3U,
    0x748f82eeU, 0x78a5636fU, 0x84c87814U, 0x8cc70208U, 0x90befffaU, 0xa4506cebU, 0xbef9a3f7U,
    0xc67178f2U};

constexpr std::size_t kPiece = 1U << 18U;

[[nodiscard]] std::uint32_t big_endian(const unsigned char* bytes) {
  return (std::uint32_t{bytes[0]} << 24U) | (std::uint32_t{bytes[1]} << 16U) |
         (std::uint32_t{bytes[2]} << 8U) | std::uint32_t{bytes[3]};
}

}  // namespace

// FIPS 180-4, 6.2.2; the names of the variables are those of the standard.
void Sha256::take(const unsigned char* block) {
  std::array<std::uint32_t, kRounds.size()> w{};
  for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(block + (4 * t));
  for (std::size_t t = 16; t < w.size(); ++t) {
    const std::uint32_t near = w[t - 2];
    const std::uint32_t far = w[t - 15];
    w[t] = (std::rotr(near, 17) ^ std::rotr(near, 19) ^ (near >> 10U)) + w[t - 7] +
           (std::rotr(far, 7) ^ std::rotr(far, 18) ^ (far >> 3U)) + w[t - 16];
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t t = 0; t < w.size(); ++t) {
    const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                ((e & f) ^ (~e & g)) + kRounds[t] + w[t];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<std::uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] += added[i];
}

void Sha256::add(std::string_view bytes) {
  const std::size_t waiting = bytes_ % kBlock;
  bytes_ += bytes.size();
  if (waiting > 0) {
    const std::size_t count = std::min(bytes.size(), kBlock - waiting);
    std::memcpy(pending_.data() + waiting, bytes.data(), count);
    bytes.remove_prefix(count);
    if (waiting + count < kBlock) return;
    take(pending_.data());
  }
  for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) {
    std::memcpy(pending_.data(), bytes.data(), kBlock);
    take(pending_.data());
  }
  std::memcpy(pending_.data(), bytes.data(), bytes.size());
}

std::string Sha256::digits() {
  // A one bit, zeros up to the last eight bytes of a block, and the number of bits there.
  const std::uint64_t bits = bytes_ * 8;
  std::string padding = "\x80";
  padding.resize(1 + ((kBlock + kBlock - 8 - 1 - (bytes_ % kBlock)) % kBlock), '\0');
  for (unsigned shift = 64; shift > 0; shift -= 8) {
    padding += static_cast<char>((bits >> (shift - 8)) & 0xffU);
  }
  add(padding);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : state_) {
    for (unsigned shift = 32; shift > 0; shift -= 4) text += kDigits[(word >> (shift - 4)) & 0xfU];
  }
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.digits();
}

std::string sha256_of_file(const std::filesystem::path& file) {
  const std::string attempt = "cannot read " + file.string();
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor.is_open()) throw system_failure(Stop::environment, attempt, "open");
  struct stat status{};
  if (::fstat(descriptor.get(), &status) != 0) {
    throw system_failure(Stop::environment, attempt, "fstat");
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(Stop::environment, attempt + ": it is not a regular file");
  }
  Sha256 hash;
  std::vector<char> piece(kPiece);
  for (;;) {
    const ssize_t count = ::read(descriptor.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_failure(Stop::environment, attempt, "read");
    if (count == 0) return hash.digits();
    hash.add({piece.data(), static_cast<std::size_t>(count)});
  }
}

}  // namespace autokernel
