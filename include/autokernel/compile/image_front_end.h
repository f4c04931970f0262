// Kernels that somebody else has compiled: an image, and beside it what AUTOKERNEL_LAUNCH would
// say.
#pragma once

#include <memory>
#include <string>

#include "autokernel/compile/external_compiler.h"
#include "autokernel/compile/front_end.h"

namespace autokernel::compile {

// The first line of a text that describes images.
inline constexpr const char* kImageDescription = "# autokernel image 1\n";
[[nodiscard]] bool is_image_description(const std::string& text);

// Whether a kernel's main file is nothing but AUTOKERNEL_ORIGINAL, and comments: it stands for the
// kernel that its case was captured with.
[[nodiscard]] bool asks_for_original(const std::string& text);

// Takes a description in TOML (docs/case-format.md): `cubin` and `ptx` name files beside it, which
// Source::files holds in base64; a cubin is for GPUs of its architecture, PTX for the emulated
// device and for any other GPU. [[launch]] has the fields of AUTOKERNEL_LAUNCH. Or kernel.toml of a
// case, with `image` for a file of Source::files as it is (docs/external-compilers.md).
class ImageFrontEnd : public FrontEnd {
 public:
  [[nodiscard]] Compilation compile(const Request& request) const override;
  [[nodiscard]] std::string version() const override { return "none"; }
};

// Chooses: images by the main file's first line, or its name; a compiler that the request names;
// everything else goes to `sources`.
class FrontEnds : public FrontEnd {
 public:
  FrontEnds(std::unique_ptr<const FrontEnd> sources, Caching caching)
      : sources_(std::move(sources)), external_(caching) {}
  [[nodiscard]] Compilation compile(const Request& request) const override;
  [[nodiscard]] std::string version() const override { return sources_->version(); }

 private:
  std::unique_ptr<const FrontEnd> sources_;
  ImageFrontEnd images_;
  ExternalFrontEnd external_;
};

}  // namespace autokernel::compile
