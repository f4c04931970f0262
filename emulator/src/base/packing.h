// Numbers and byte strings one after the other in a string of bytes, and back: the inside of the
// files that caches keep. Numbers are 8 bytes, little-endian; a byte string is its length and its
// bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace emulator::base {

class Packer {
 public:
  Packer& number(std::uint64_t number);
  Packer& bytes(std::string_view bytes);
  [[nodiscard]] const std::string& packed() const { return packed_; }

 private:
  std::string packed_;
};

// Takes what was packed from the front; zeros and nothing once something did not fit.
class Unpacker {
 public:
  explicit Unpacker(std::string_view rest) : rest_(rest) {}

  [[nodiscard]] std::uint64_t number();
  // As long as what was given to the constructor.
  [[nodiscard]] std::string_view bytes() { return take(number()); }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  // Whether all that was taken was there, and nothing is left.
  [[nodiscard]] bool ended_well() const { return whole_ && rest_.empty(); }

 private:
  [[nodiscard]] std::string_view take(std::uint64_t count);

  std::string_view rest_;
  bool whole_ = true;
};

}  // namespace emulator::base
