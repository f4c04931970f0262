#include "driver/images.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "driver/image_digest.h"
#include "driver/real_driver.h"

namespace autokernel::inject {
namespace {

constexpr std::uint32_t kWrapper = 0x466243b1;  // what nvcc hands over in place of a fat binary
constexpr std::uint32_t kFatBinary = 0xba55ed50;
constexpr std::uint32_t kElf = 0x464c457f;

template <typename Number>
[[nodiscard]] Number number_at(const void* code, std::size_t offset) {
  Number number{};
  std::memcpy(static_cast<void*>(&number), static_cast<const char*>(code) + offset, sizeof number);
  return number;
}

// A cubin ends with the table of its sections, or of its segments behind it.
[[nodiscard]] std::size_t size_of_elf(const void* code) {
  const auto end = [&](std::size_t table, std::size_t entry_bytes, std::size_t entries) {
    return number_at<std::uint64_t>(code, table) +
           std::size_t{number_at<std::uint16_t>(code, entry_bytes)} *
               number_at<std::uint16_t>(code, entries);
  };
  constexpr std::size_t kSegments = 0x20, kSegmentBytes = 0x36, kSegmentCount = 0x38;
  constexpr std::size_t kSections = 0x28, kSectionBytes = 0x3a, kSectionCount = 0x3c;
  return std::max(end(kSections, kSectionBytes, kSectionCount),
                  end(kSegments, kSegmentBytes, kSegmentCount));
}

[[nodiscard]] std::string_view bytes_of(const void* code) {
  const auto magic = number_at<std::uint32_t>(code, 0);
  const auto* text = static_cast<const char*>(code);
  if (magic == kFatBinary) {
    constexpr std::size_t kHeaderBytes = 6, kPayloadBytes = 8;
    return {text, number_at<std::uint16_t>(code, kHeaderBytes) +
                      static_cast<std::size_t>(number_at<std::uint64_t>(code, kPayloadBytes))};
  }
  if (magic == kElf) return {text, size_of_elf(code)};
  return {text, std::strlen(text) + 1};
}

struct Image {
  std::shared_ptr<const std::string> copy;  // null: the bytes stay where they are
  std::string_view bytes;
  std::string digest;  // empty: nobody has asked for it
};

struct Images {
  std::mutex mutex;
  std::map<CodeHandle, Image> by_handle;

  // Where it is; the end where it is not. The lock is held.
  [[nodiscard]] std::map<CodeHandle, Image>::iterator find(const CodeHandle& handle) {
    const auto found = by_handle.find(handle);
    if (found != by_handle.end() || handle.module == nullptr) return found;
    return std::ranges::find_if(by_handle, [&](const auto& each) {
      CUmodule module = nullptr;
      return each.first.library != nullptr &&
             AUTOKERNEL_REAL(cuLibraryGetModule)(&module, each.first.library) == CUDA_SUCCESS &&
             module == handle.module;
    });
  }
};
// The program may call until its very end.
Images& images() {
  static auto* const kept = new Images;
  return *kept;
}

void keep(const CodeHandle& handle, std::string image) {
  Image kept{
      .copy = std::make_shared<const std::string>(std::move(image)), .bytes = {}, .digest = {}};
  kept.bytes = *kept.copy;
  const std::lock_guard lock(images().mutex);
  images().by_handle[handle] = std::move(kept);
}

}  // namespace

void keep_image(const CodeHandle& handle, const void* code) {
  if (code == nullptr) return;
  if (number_at<std::uint32_t>(code, 0) != kWrapper) {
    keep(handle, std::string(bytes_of(code)));
    return;
  }
  // Part of a program or a library, which unloads it before it goes.
  constexpr std::size_t kData = 8;
  const std::lock_guard lock(images().mutex);
  images().by_handle[handle] = {
      .copy = nullptr, .bytes = bytes_of(number_at<const void*>(code, kData)), .digest = {}};
}

void keep_image_of_file(const CodeHandle& handle, const char* path) {
  std::ifstream in(path, std::ios::binary);
  keep(handle, {std::istreambuf_iterator<char>(in), {}});
}

void forget_image(const CodeHandle& handle) {
  const std::lock_guard lock(images().mutex);
  images().by_handle.erase(handle);
}

std::shared_ptr<const std::string> image_of(const CodeHandle& handle) {
  const std::lock_guard lock(images().mutex);
  const auto found = images().find(handle);
  if (found == images().by_handle.end()) return nullptr;
  const Image& image = found->second;
  return image.copy != nullptr ? image.copy : std::make_shared<const std::string>(image.bytes);
}

std::string digest_of(const CodeHandle& handle) {
  const std::lock_guard lock(images().mutex);
  const auto found = images().find(handle);
  if (found == images().by_handle.end()) return {};
  Image& image = found->second;
  if (image.digest.empty()) image.digest = image_digest(image.bytes);
  return image.digest;
}

}  // namespace autokernel::inject
