// The front end for CUDA C++: NVRTC gives PTX and cubin in one compile, and everything the harness
// must know about the program is read from those bytes, without running anything of the
// candidate's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "autokernel/compile/front_end.h"

namespace autokernel::compile {

// The exit code of a process whose compiler crashed, with a last line on standard error that says
// so. No other part of the program ends with it.
inline constexpr int kCompilerCrashed = 99;

// NVRTC, opened at run time. Keep one per process: opening costs about 10 ms, the first compile
// more.
class Compiler final : public FrontEnd {
 public:
  // Finds NVRTC and CUDA's headers by CUDA_HOME, the loader's path, /usr/local/cuda*, the wheels
  // below the build folder and those of the Python on the PATH. Throws Error(environment) saying
  // where it looked and how to install it.
  [[nodiscard]] static Compiler open(Caching caching = Caching::no);
  Compiler(Compiler&&) noexcept;
  Compiler& operator=(Compiler&&) noexcept;
  ~Compiler() override;

  // NVRTC runs on a thread of its own, which can read nothing but CUDA's headers and libraries
  // where the kernel has Landlock: looking for #include in a source is beaten by macros and
  // digraphs.
  [[nodiscard]] Compilation compile(const Request& request) const override;
  [[nodiscard]] std::string version() const override;
  [[nodiscard]] std::filesystem::path library() const;  // where libnvrtc was found
  // Where CUDA's headers are taken from. With the library's own folder this is all that a compile
  // reads.
  [[nodiscard]] const std::vector<std::filesystem::path>& include_directories() const;

 private:
  class Library;
  explicit Compiler(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library_;
};

}  // namespace autokernel::compile
