// Any bytes are a description of an image that is refused in words, or a program; and any bytes are
// PTX of which parameters and variables can be read, or not.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>

#include "autokernel/base/base64.h"
#include "autokernel/base/error.h"
#include "autokernel/compile/external_compiler.h"
#include "autokernel/compile/image_front_end.h"
#include "compile/ptx_text.h"

namespace {

namespace compile = autokernel::compile;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  static_cast<void>(compile::ptx_parameters(text, "add"));
  static_cast<void>(compile::ptx_objects(text));
  compile::Request request;
  request.architecture = "sm_90a";
  // The description, and as what it may name the same bytes again.
  request.source = {
      .name = "original.toml",
      .text = compile::kImageDescription + text,
      .files = {{"x.ptx", autokernel::base64(text)}, {"x.cubin", autokernel::base64(text)}}};
  const compile::Compilation compilation = compile::ImageFrontEnd().compile(request);
  if (const auto* refusal = std::get_if<compile::Refusal>(&compilation)) {
    require(!refusal->reason.empty());
  }
  // The same as kernel.toml of a case.
  request.source = {
      .name = "kernel.toml", .text = text, .files = {{"x.ptx", text}, {"x.cubin", text}}};
  const compile::Compilation kernel = compile::ImageFrontEnd().compile(request);
  if (const auto* refusal = std::get_if<compile::Refusal>(&kernel)) {
    require(!refusal->reason.empty());
  }
  // And as what a compiler of somebody else's prints.
  request.compiler = {.name = "x", .script = "", .python = ""};
  try {
    const compile::Compilation answered = compile::compilation_of_answer(request, text);
    if (const auto* refusal = std::get_if<compile::Refusal>(&answered)) {
      static_cast<void>(refusal->reason.size());
    }
  } catch (const autokernel::Error&) {
    // It says that the compiler is broken.
  }
  return 0;
}
