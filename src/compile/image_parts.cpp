#include "autokernel/compile/image_parts.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <tuple>

#include "fatbin/decompress.h"
#include "fatbin/fatbin.h"

namespace autokernel::compile {
namespace {

namespace fatbin = emulator::fatbin;

// Code for the device itself, or for an earlier one of its generation; for sm_90a, for it alone.
[[nodiscard]] bool runs_code(const fatbin::Entry& entry, unsigned architecture) {
  constexpr unsigned kGeneration = 10;
  if (entry.reach == fatbin::Reach::exact) return entry.architecture == architecture;
  return entry.architecture / kGeneration == architecture / kGeneration &&
         entry.architecture <= architecture;
}

[[nodiscard]] bool takes_ptx(const fatbin::Entry& entry, unsigned architecture) {
  if (entry.reach == fatbin::Reach::exact) return entry.architecture == architecture;
  return entry.architecture <= architecture;
}

// The later one, of two for one architecture that which may use more of it.
[[nodiscard]] bool is_better(const fatbin::Entry& entry, const fatbin::Entry* before) {
  if (before == nullptr) return true;
  const auto rank = [](const fatbin::Entry& each) {
    return std::tuple(each.architecture, each.reach != fatbin::Reach::forward);
  };
  return rank(entry) > rank(*before);
}

void read_fatbin(std::span<const std::byte> image, unsigned architecture, ImageParts& parts) {
  const std::vector<fatbin::Entry> entries = fatbin::entries(image);
  const fatbin::Entry* code = nullptr;
  const fatbin::Entry* ptx = nullptr;
  for (const fatbin::Entry& entry : entries) {
    if (entry.kind == fatbin::Kind::elf && runs_code(entry, architecture) &&
        is_better(entry, code)) {
      code = &entry;
    }
    if (entry.kind == fatbin::Kind::ptx && takes_ptx(entry, architecture) &&
        is_better(entry, ptx)) {
      ptx = &entry;
    }
  }
  if (ptx != nullptr) parts.ptx = fatbin::text_of(*ptx);
  if (code == nullptr) return;
  const std::string bytes = fatbin::decompress(code->payload, code->compression, code->bytes);
  parts.cubin.resize(bytes.size());
  std::memcpy(parts.cubin.data(), bytes.data(), bytes.size());
}

}  // namespace

ImageParts parts_of_image(std::span<const std::byte> image, int major, int minor) {
  constexpr int kGeneration = 10;
  constexpr std::string_view kElf = "\177ELF";
  ImageParts parts;
  const std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
  try {
    if (text.starts_with(kElf)) {
      parts.cubin.assign(image.begin(), image.end());
    } else if (fatbin::is_fatbin(image)) {
      read_fatbin(image, static_cast<unsigned>(major * kGeneration + minor), parts);
    } else if (text.find(".version") != std::string_view::npos) {
      parts.ptx = text.substr(0, text.find('\0'));
    } else {
      parts.trouble = "it is neither PTX nor a cubin nor a fat binary";
    }
  } catch (const fatbin::Error& error) {
    parts.trouble = error.what();
  }
  return parts;
}

}  // namespace autokernel::compile
