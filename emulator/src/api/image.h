// What a program hands over to be loaded: PTX, a fat binary, what nvcc wraps around one, or what
// cuLinkComplete made. Machine code for a GPU is refused.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/error_translation.h"

namespace emulator::api {

// An image that cannot be loaded, and why in words.
class ImageRefusal : public Refusal {
 public:
  ImageRefusal(CUresult result, std::string reason) : Refusal(result), reason_(std::move(reason)) {}
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

struct Image {
  std::vector<std::string> texts;  // of the modules, mostly one; several are to be linked
  // Why others are not among them, a line for each: fat binaries without PTX that the device runs.
  // The texts may do without: nvcc -rdc=true links the device runtime with every program.
  std::string left_out;
};

// Of a fat binary, the PTX for the latest architecture that a device of compute capability
// `architecture` (90 for 9.0) runs. Throws ImageRefusal.
[[nodiscard]] Image read_image(std::span<const std::byte> bytes, int architecture);
// The same for an image whose size only it knows itself: text ended by a NUL, or a header that says
// it.
[[nodiscard]] Image read_image(const void* image, int architecture);

// The image itself. Throws ImageRefusal where all of it was left out.
[[nodiscard]] Image require_text(Image image, int architecture);

}  // namespace emulator::api
