// The options of cuModuleLoadDataEx, cuLinkCreate and cuLibraryLoadData. Those that say how to make
// machine code for a GPU are checked and change nothing here.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "api/cuda_api.h"

namespace emulator::api {

class JitOptions {
 public:
  JitOptions() = default;
  // The arrays as the program passes them; they have to stay while this lives. Throws Refusal for
  // what does not exist, CUDA_ERROR_NOT_SUPPORTED for what would change a result.
  JitOptions(unsigned count, const CUjit_option* options, void** values);

  // Put into the program's buffers, cut to their size and ended by a NUL; the size options are set
  // to the bytes written.
  void write_error(const std::string& text) const { write(text, error_); }
  void write_info(const std::string& text) const { write(text, info_); }
  void write_wall_time(std::chrono::duration<float, std::milli> time) const;

  [[nodiscard]] bool is_verbose() const { return verbose_; }
  // 90 for CU_TARGET_COMPUTE_90 and 90A.
  [[nodiscard]] std::optional<int> target() const { return target_; }

 private:
  struct Log {
    char* buffer = nullptr;
    void** size = nullptr;
  };
  static void write(const std::string& text, const Log& log);
  void read(CUjit_option option, void*& value);

  Log error_;
  Log info_;
  void** wall_time_ = nullptr;
  bool verbose_ = false;
  std::optional<int> target_;
};

}  // namespace emulator::api
