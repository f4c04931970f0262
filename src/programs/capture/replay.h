// A captured launch made again, on memory of our own in which its pointers have other addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autokernel/driver/device.h"
#include "autokernel/driver/memory.h"
#include "autokernel/driver/module.h"
#include "autokernel/driver/stream.h"
#include "autokernel/programs/captured_launch.h"

namespace autokernel::programs {

// The driver rounds allocations to this alignment; within, offsets are the program's own.
inline constexpr std::uint64_t kReplayAlignment = 256;

// A part of the memory that was captured, which gets memory of its own.
struct Piece {
  std::size_t range = 0;             // index in CapturedLaunch::ranges
  std::uint64_t begin = 0, end = 0;  // bytes from where the kept part of that range begins
};
// All of it.
[[nodiscard]] std::vector<Piece> whole_ranges(const CapturedLaunch& launch);

// What lies behind each piece: results that differ with it depend on more than the pieces.
enum class Guard : std::uint8_t { one = 0xa7, other = 0x3c };

class Replay {
 public:
  // Loads the code and allocates the memory; pointers that lead to none of the pieces keep their
  // addresses, at which there is nothing. `trouble` is set where that is impossible. Throws
  // Error(environment) where there is not enough memory.
  Replay(const CapturedLaunch& launch, const driver::Device& device, std::vector<Piece> pieces,
         Guard guard = Guard::one);

  // Why it cannot be replayed; empty: it can.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  // Where a piece lies on the device.
  [[nodiscard]] driver::Address address(std::size_t piece) const;
  // Puts bytes into the memory of a piece, and takes them out of it: as many as it has.
  void write(std::size_t piece, std::span<const std::byte> bytes) const { write(piece, 0, bytes); }
  // The same of a part of it, which begins behind so many bytes.
  void write(std::size_t piece, std::uint64_t offset, std::span<const std::byte> bytes) const;
  void read(std::size_t piece, std::span<std::byte> bytes) const;
  // Whether what lies around the pieces is as it was made; the launch wrote there if not.
  [[nodiscard]] bool keeps_within() const;
  // Makes the launch and waits for its end. The sentence of a fault where there is one; the device
  // cannot be used any more then.
  [[nodiscard]] std::optional<std::string> run() const;

 private:
  const CapturedLaunch& launch_;
  const driver::Device& device_;
  std::byte guard_;
  std::vector<Piece> pieces_;
  driver::Stream stream_;
  std::vector<driver::Buffer> buffers_;  // of the pieces
  std::vector<std::byte> bytes_;         // of the parameters, with our addresses
  std::optional<driver::Module> module_;
  std::optional<driver::Kernel> kernel_;
  driver::Shape shape_;
  std::string trouble_;
};

}  // namespace autokernel::programs
