// What cuLinkComplete gives to the program in the place of machine code: the texts of the modules,
// one after the other.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace emulator::api {

[[nodiscard]] std::string write_linked_image(const std::vector<std::string>& texts);

inline constexpr std::size_t kLinkedHeaderBytes = 16;
// Whether an image begins like one.
[[nodiscard]] bool is_linked_image(std::span<const std::byte> image);
// Bytes of the image that begins with these kLinkedHeaderBytes.
[[nodiscard]] std::size_t linked_image_bytes(std::span<const std::byte> header);
// The texts; nothing where the image is damaged.
[[nodiscard]] std::optional<std::vector<std::string>> read_linked_image(
    std::span<const std::byte> image);

}  // namespace emulator::api
