// The format, in the byte order of the machine, which never leaves the process for another: eight
// bytes kMagic, u64 bytes of the whole image; then for each module u64 bytes of its text, and the
// text.
#include "api/linked_image.h"

#include <cstdint>
#include <cstring>
#include <string_view>

namespace emulator::api {
namespace {

constexpr std::string_view kMagic =
    "\x7f"
    "PTXLINK";

void append_number(std::string& to, std::uint64_t number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::uint64_t number_at(std::span<const std::byte> image, std::size_t offset) {
  std::uint64_t number = 0;
  std::memcpy(&number, image.subspan(offset, sizeof number).data(), sizeof number);
  return number;
}

}  // namespace

std::string write_linked_image(const std::vector<std::string>& texts) {
  std::size_t bytes = kLinkedHeaderBytes;
  for (const std::string& text : texts) bytes += sizeof(std::uint64_t) + text.size();
  std::string image(kMagic);
  image.reserve(bytes);
  append_number(image, bytes);
  for (const std::string& text : texts) {
    append_number(image, text.size());
    image += text;
  }
  return image;
}

bool is_linked_image(std::span<const std::byte> image) {
  return image.size() >= kMagic.size() &&
         std::memcmp(image.data(), kMagic.data(), kMagic.size()) == 0;
}

std::size_t linked_image_bytes(std::span<const std::byte> header) {
  return number_at(header, kMagic.size());
}

std::optional<std::vector<std::string>> read_linked_image(std::span<const std::byte> image) {
  if (image.size() < kLinkedHeaderBytes || linked_image_bytes(image) != image.size()) {
    return std::nullopt;
  }
  std::span<const std::byte> rest = image.subspan(kLinkedHeaderBytes);
  std::vector<std::string> texts;
  while (!rest.empty()) {
    if (rest.size() < sizeof(std::uint64_t)) return std::nullopt;
    const std::uint64_t bytes = number_at(rest, 0);
    rest = rest.subspan(sizeof bytes);
    if (bytes > rest.size()) return std::nullopt;
    texts.emplace_back(reinterpret_cast<const char*>(rest.data()), bytes);
    rest = rest.subspan(bytes);
  }
  return texts;
}

}  // namespace emulator::api
