// The code that a program loads, kept until a launch of it is captured or replaced: a library may
// free its own copy as soon as the driver has it.
#pragma once

#include <cuda.h>

#include <memory>
#include <string>

namespace autokernel::inject {

// What the driver made of code: a handle of either kind.
struct CodeHandle {
  CUmodule module = nullptr;
  CUlibrary library = nullptr;

  friend auto operator<=>(const CodeHandle&, const CodeHandle&) = default;
};

// `code` is what cuModuleLoadData and its like take.
void keep_image(const CodeHandle& handle, const void* code);
void keep_image_of_file(const CodeHandle& handle, const char* path);
void forget_image(const CodeHandle& handle);

// As it was loaded: PTX, a cubin or a fat binary. Null where it was loaded in a way that is not
// known. A module may be a library's, in the current context.
[[nodiscard]] std::shared_ptr<const std::string> image_of(const CodeHandle& handle);
// Its digest (image_digest.h); empty where there is no image.
[[nodiscard]] std::string digest_of(const CodeHandle& handle);

}  // namespace autokernel::inject
