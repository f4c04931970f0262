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

// The texts of the modules in the image, mostly one; several are to be linked. Of a fat binary, the
// PTX for the latest architecture that a device of compute capability `architecture` (90 for 9.0)
// runs. Throws ImageRefusal.
[[nodiscard]] std::vector<std::string> read_image(std::span<const std::byte> bytes,
                                                  int architecture);
// The same for an image whose size only it knows itself: text ended by a NUL, or a header that says
// it.
[[nodiscard]] std::vector<std::string> read_image(const void* image, int architecture);

}  // namespace emulator::api
