// From the texts of an image to a module in a context, with what the program's options want to be
// told on the way.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/context.h"
#include "api/image.h"
#include "api/jit_options.h"
#include "api/source_names.h"
#include "ptx/ast.h"

namespace emulator::api {

// Reads an image for the device there is, and writes to the logs why that cannot be done. Throws
// Refusal.
[[nodiscard]] std::vector<std::string> read_image_for(
    const JitOptions& options, const std::function<std::vector<std::string>(int)>& read);

// The same of a file.
[[nodiscard]] std::vector<std::string> read_file_for(const JitOptions& options, const char* path);

// Writes to the log why PTX is refused, with the line of the source where the PTX says it. `input`
// is what the program calls the text, where it has a name.
void write_refusal(const JitOptions& options, const ptx::Error& error, const SourceNames& names,
                   const std::string& input = "");

// Links the texts and gives the module's variables memory. The module is known to nobody yet.
// Throws Refusal after writing to the logs.
[[nodiscard]] std::shared_ptr<Module> build_module(runtime::Memory& memory,
                                                   const std::vector<std::string>& texts,
                                                   const JitOptions& options);

// The handles of the module and of its kernels in this context.
[[nodiscard]] CUmodule publish_module(Context& context, const std::shared_ptr<Module>& module);
// Takes them away again and gives the variables' memory back, behind all launches that may use it.
void withdraw_module(Context& context, CUmodule handle);

// The kernel of that name. Throws Refusal(CUDA_ERROR_NOT_FOUND).
[[nodiscard]] CUfunction find_function(const Module& module, const std::string& name);
[[nodiscard]] CUfunction handle_of(const std::shared_ptr<Kernel>& kernel);

}  // namespace emulator::api
