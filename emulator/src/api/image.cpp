#include "api/image.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <tuple>

#include "api/linked_image.h"
#include "fatbin/fatbin.h"

namespace emulator::api {
namespace {

constexpr std::string_view kElfMagic =
    "\x7f"
    "ELF";

// __fatBinC_Wrapper_t of CUDA's fatbinary_section.h.
struct Wrapper {
  static constexpr std::uint32_t kMagic = 0x466243b1;
  // The device code of several source files, to be linked.
  static constexpr std::uint32_t kLinkVersion = 2;

  std::uint32_t magic;
  std::uint32_t version;
  const void* data;
  const void* const* prelinked;  // of kLinkVersion: fat binaries, then null
};

bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

bool runs_on(const fatbin::Entry& entry, unsigned architecture) {
  switch (entry.reach) {
    case fatbin::Reach::exact:
      return entry.architecture == architecture;
    case fatbin::Reach::family:
      return entry.architecture / 10 == architecture / 10 && entry.architecture <= architecture;
    case fatbin::Reach::forward:
      break;
  }
  return entry.architecture <= architecture;
}

// Of two entries for one architecture, the one that may use more of it is the later.
auto lateness(const fatbin::Entry& entry) {
  return std::tuple(entry.architecture, entry.reach != fatbin::Reach::forward);
}

std::string list_of(const std::vector<fatbin::Entry>& entries) {
  std::string list;
  for (const fatbin::Entry& entry : entries) {
    if (!list.empty()) list += ", ";
    list += name_of(entry);
    if (entry.kind == fatbin::Kind::elf) list += " (machine code)";
    if (entry.kind == fatbin::Kind::nvvm) list += " (NVVM)";
  }
  return list.empty() ? "nothing" : list;
}

// Adds what the device runs of a fat binary to `to`, or says there what it has instead.
void add_fatbin(std::span<const std::byte> bytes, int architecture, Image& to) {
  try {
    const std::vector<fatbin::Entry> entries = fatbin::entries(bytes);
    const fatbin::Entry* best = nullptr;
    for (const fatbin::Entry& entry : entries) {
      const bool runs =
          entry.kind == fatbin::Kind::ptx && runs_on(entry, static_cast<unsigned>(architecture));
      if (runs && (best == nullptr || lateness(entry) > lateness(*best))) best = &entry;
    }
    if (best != nullptr) {
      to.texts.push_back(fatbin::text_of(*best));
      return;
    }
    if (!to.left_out.empty()) to.left_out += '\n';
    to.left_out += "the fat binary has no PTX for sm_" + std::to_string(architecture) + ", only " +
                   list_of(entries);
  } catch (const fatbin::Error& error) {
    throw ImageRefusal(CUDA_ERROR_INVALID_IMAGE, error.what());
  }
}

Image read_fatbin(std::span<const std::byte> bytes, int architecture) {
  Image image;
  add_fatbin(bytes, architecture, image);
  return image;
}

std::span<const std::byte> whole_fatbin(const void* image) {
  const auto* bytes = static_cast<const std::byte*>(image);
  try {
    return {bytes, fatbin::size_of({bytes, fatbin::kHeaderBytes})};
  } catch (const fatbin::Error& error) {
    throw ImageRefusal(CUDA_ERROR_INVALID_IMAGE, error.what());
  }
}

Image read_wrapper(const void* image, int architecture) {
  Wrapper wrapper{};
  std::memcpy(&wrapper, image, sizeof wrapper);
  if (wrapper.version == Wrapper::kLinkVersion && wrapper.prelinked != nullptr) {
    Image linked;
    for (const void* const* one = wrapper.prelinked; *one != nullptr; ++one) {
      add_fatbin(whole_fatbin(*one), architecture, linked);
    }
    if (*wrapper.prelinked != nullptr) return linked;
  }
  if (wrapper.data == nullptr) {
    throw ImageRefusal(CUDA_ERROR_INVALID_IMAGE, "the wrapper holds no fat binary");
  }
  return read_fatbin(whole_fatbin(wrapper.data), architecture);
}

// As much of the image's beginning as is certain to be there: text ends with its first NUL.
std::size_t certain_bytes(const void* image, std::size_t most) {
  return ::strnlen(static_cast<const char*>(image), most);
}

}  // namespace

Image read_image(std::span<const std::byte> bytes, int architecture) {
  if (begins_with(bytes, kElfMagic)) {
    throw ImageRefusal(CUDA_ERROR_NO_BINARY_FOR_GPU,
                       "the image is machine code for a GPU; the emulated driver takes PTX and "
                       "fat binaries that have it");
  }
  if (fatbin::is_fatbin(bytes)) return read_fatbin(bytes, architecture);
  if (is_linked_image(bytes)) {
    std::optional<std::vector<std::string>> texts = read_linked_image(bytes);
    if (texts && !texts->empty()) return {*std::move(texts), {}};
    throw ImageRefusal(CUDA_ERROR_INVALID_IMAGE, "the linked image is damaged");
  }
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  text.resize(std::min(text.find('\0'), text.size()));
  if (text.find(".version") == std::string::npos) {
    throw ImageRefusal(CUDA_ERROR_INVALID_IMAGE,
                       "the image is not PTX: it has no .version directive");
  }
  return {{std::move(text)}, {}};
}

Image read_image(const void* image, int architecture) {
  const auto* bytes = static_cast<const std::byte*>(image);
  // The magic numbers have no NUL in them.
  const std::span<const std::byte> magic{bytes, certain_bytes(image, sizeof(std::uint64_t))};
  std::uint32_t word = 0;
  if (magic.size() >= sizeof word) std::memcpy(&word, bytes, sizeof word);
  if (word == Wrapper::kMagic) return read_wrapper(image, architecture);
  if (fatbin::is_fatbin(magic)) return read_fatbin(whole_fatbin(image), architecture);
  if (is_linked_image(magic)) {
    return read_image({bytes, linked_image_bytes({bytes, kLinkedHeaderBytes})}, architecture);
  }
  return read_image({bytes, std::strlen(static_cast<const char*>(image))}, architecture);
}

Image require_text(Image image, int architecture) {
  if (!image.texts.empty()) return image;
  const std::string number = std::to_string(architecture);
  throw ImageRefusal(CUDA_ERROR_NO_BINARY_FOR_GPU,
                     image.left_out + "; compile with nvcc -gencode arch=compute_" + number +
                         ",code=compute_" + number);
}

}  // namespace emulator::api
