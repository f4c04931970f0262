// From the texts of an image to a module in a context, with what the program's options want to be
// told on the way.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "api/context.h"
#include "api/image.h"
#include "api/jit_options.h"
#include "api/source_names.h"
#include "ptx/ast.h"

namespace emulator::api {

// Reads an image to be loaded on the device there is, and writes to the logs why that cannot be
// done. Throws Refusal.
[[nodiscard]] Image read_image_for(const JitOptions& options, const void* image);
// The same of a file.
[[nodiscard]] Image read_file_for(const JitOptions& options, const char* path);
// The same of one of several to be linked, which may have nothing that the device runs.
[[nodiscard]] Image read_input_for(const JitOptions& options, std::span<const std::byte> bytes);

// An image that has been put together of those, if it has a text; else the same.
[[nodiscard]] Image require_text_for(const JitOptions& options, const Image& image);

// The module of all texts. Throws ptx::Error.
[[nodiscard]] ptx::Module parse_and_link(const std::vector<std::string>& texts);

// Writes to the log why PTX is refused, with the line of the source where the PTX says it. `input`
// is what the program calls the text, where it has a name; `left_out` is an image's.
void write_refusal(const JitOptions& options, const ptx::Error& error, const SourceNames& names,
                   const std::string& input = "", const std::string& left_out = "");

// Links an image's texts and gives the module's variables memory. The module is known to nobody
// yet. Throws Refusal after writing to the logs.
[[nodiscard]] std::shared_ptr<Module> build_module(runtime::Memory& memory, const Image& image,
                                                   const JitOptions& options);

// The handles of the module and of its kernels in this context.
[[nodiscard]] CUmodule publish_module(Context& context, const std::shared_ptr<Module>& module);
// Takes them away again and gives the variables' memory back, behind all launches that may use it.
void withdraw_module(Context& context, CUmodule handle);

// The kernel of that name. Throws Refusal(CUDA_ERROR_NOT_FOUND).
[[nodiscard]] CUfunction find_function(const Module& module, const std::string& name);
[[nodiscard]] CUfunction handle_of(const std::shared_ptr<Kernel>& kernel);

}  // namespace emulator::api
