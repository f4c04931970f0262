#include "base/packing.h"

namespace emulator::base {

Packer& Packer::number(std::uint64_t number) {
  for (unsigned byte = 0; byte < sizeof(number); ++byte) {
    packed_ += static_cast<char>((number >> (8 * byte)) & 0xffU);
  }
  return *this;
}

Packer& Packer::bytes(std::string_view bytes) {
  number(bytes.size());
  packed_ += bytes;
  return *this;
}

std::uint64_t Unpacker::number() {
  std::uint64_t number = 0;
  const std::string_view bytes = take(sizeof(number));
  for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
    number |= std::uint64_t{static_cast<unsigned char>(bytes[byte])} << (8 * byte);
  }
  return number;
}

std::string_view Unpacker::take(std::uint64_t count) {
  whole_ = whole_ && count <= rest_.size();
  if (!whole_) return {};
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

}  // namespace emulator::base
