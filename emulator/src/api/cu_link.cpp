// Linking: several modules of PTX become one image, which cuModuleLoadData takes.
#include <algorithm>
#include <bit>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "api/driver.h"
#include "api/error_translation.h"
#include "api/linked_image.h"
#include "api/module_loading.h"

namespace emulator::api {
namespace {

// What a CUlinkState stands for: the program holds its address until cuLinkDestroy.
struct Link {
  JitOptions options;
  Image parts;
  std::string image;  // once complete
};

Link& link_of(CUlinkState state) {
  require(state != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return *std::bit_cast<Link*>(state);
}

// PTX text and fat binaries; libraries and machine code would have to be linked by NVIDIA's linker.
void add(CUlinkState state, CUjitInputType type, std::span<const std::byte> bytes,
         const std::string& name) {
  (void)current_context();
  Link& link = link_of(state);
  if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY) {
    link.options.write_error(name + ": only PTX and fat binaries that have it are linked");
    throw Refusal(type == CU_JIT_INPUT_CUBIN || type == CU_JIT_INPUT_OBJECT ||
                          type == CU_JIT_INPUT_LIBRARY
                      ? CUDA_ERROR_NO_BINARY_FOR_GPU
                      : CUDA_ERROR_NOT_SUPPORTED);
  }
  Image input = read_input_for(link.options, bytes);
  for (const std::string& text : input.texts) {
    try {
      static_cast<void>(ptx::parse(text));
    } catch (const ptx::Error& error) {
      write_refusal(link.options, error, SourceNames({text}), name);
      throw Refusal(CUDA_ERROR_INVALID_PTX);
    }
  }
  std::ranges::move(input.texts, std::back_inserter(link.parts.texts));
  if (input.left_out.empty()) return;
  if (!link.parts.left_out.empty()) link.parts.left_out += '\n';
  link.parts.left_out += name + ": " + input.left_out;
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::current_context;
using emulator::api::JitOptions;
using emulator::api::Link;
using emulator::api::require;

CUresult cuLinkCreate(unsigned int count, CUjit_option* options, void** values,
                      CUlinkState* state) {
  return answer([&] {
    (void)current_context();
    require(state != nullptr);
    *state = std::bit_cast<CUlinkState>(new Link{JitOptions(count, options, values), {}, {}});
  });
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t bytes,
                       const char* name, unsigned int count, CUjit_option* options, void** values) {
  return answer([&] {
    require(data != nullptr);
    // Those of one input say how to compile it.
    (void)JitOptions(count, options, values);
    emulator::api::add(state, type, {static_cast<const std::byte*>(data), bytes},
                       name == nullptr ? "an unnamed input" : name);
  });
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned int count,
                       CUjit_option* options, void** values) {
  return answer([&] {
    require(path != nullptr);
    (void)JitOptions(count, options, values);
    std::ifstream file(path, std::ios::binary);
    require(file.good(), CUDA_ERROR_FILE_NOT_FOUND);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    emulator::api::add(state, type, std::as_bytes(std::span(bytes)), path);
  });
}

CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes) {
  return answer([&] {
    (void)current_context();
    Link& link = emulator::api::link_of(state);
    require(image != nullptr && !(link.parts.texts.empty() && link.parts.left_out.empty()));
    // Whether the whole can be loaded is known once it has been; what is undefined belongs in the
    // linker's log.
    emulator::runtime::Memory scratch;
    const auto all = emulator::api::require_text_for(link.options, link.parts);
    emulator::api::build_module(scratch, all, link.options)->unload(scratch);
    link.image = emulator::api::write_linked_image(all.texts);
    *image = link.image.data();
    if (bytes != nullptr) *bytes = link.image.size();
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return answer([&] {
    (void)current_context();
    delete &emulator::api::link_of(state);
  });
}
