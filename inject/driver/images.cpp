#include "driver/images.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>

#include "driver/real_driver.h"

namespace autokernel::inject {
namespace {

constexpr std::uint32_t kWrapper = 0x466243b1;  // what nvcc hands over in place of a fat binary
constexpr std::uint32_t kFatBinary = 0xba55ed50;
constexpr std::uint32_t kElf = 0x464c457f;

template <typename Number>
[[nodiscard]] Number number_at(const void* code, std::size_t offset) {
  Number number{};
  std::memcpy(&number, static_cast<const char*>(code) + offset, sizeof number);
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

[[nodiscard]] std::string copied(const void* code) {
  std::uint32_t magic = number_at<std::uint32_t>(code, 0);
  if (magic == kWrapper) {
    constexpr std::size_t kData = 8;
    code = number_at<const void*>(code, kData);
    magic = number_at<std::uint32_t>(code, 0);
  }
  const auto* text = static_cast<const char*>(code);
  if (magic == kFatBinary) {
    constexpr std::size_t kHeaderBytes = 6, kPayloadBytes = 8;
    return {text, number_at<std::uint16_t>(code, kHeaderBytes) +
                      static_cast<std::size_t>(number_at<std::uint64_t>(code, kPayloadBytes))};
  }
  if (magic == kElf) return {text, size_of_elf(code)};
  return {text, std::strlen(text) + 1};
}

struct Images {
  std::mutex mutex;
  std::map<CodeHandle, std::shared_ptr<const std::string>> by_handle;
};
// The program may call until its very end.
Images& images() {
  static auto* const kept = new Images;
  return *kept;
}

void keep(const CodeHandle& handle, std::string image) {
  auto kept = std::make_shared<const std::string>(std::move(image));
  const std::lock_guard lock(images().mutex);
  images().by_handle[handle] = std::move(kept);
}

}  // namespace

void keep_image(const CodeHandle& handle, const void* code) {
  if (code != nullptr) keep(handle, copied(code));
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
  const auto found = images().by_handle.find(handle);
  if (found != images().by_handle.end()) return found->second;
  for (const auto& [kept, image] : images().by_handle) {
    CUmodule module = nullptr;
    if (kept.library != nullptr && handle.module != nullptr &&
        AUTOKERNEL_REAL(cuLibraryGetModule)(&module, kept.library) == CUDA_SUCCESS &&
        module == handle.module) {
      return image;
    }
  }
  return nullptr;
}

}  // namespace autokernel::inject
