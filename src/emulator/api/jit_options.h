// The options of cuModuleLoadDataEx that mean something here: the two log buffers.
#pragma once

#include <cstddef>
#include <string>

#include "emulator/api/cuda_api.h"

namespace emulator::api {

class JitLogs {
 public:
  // The arrays as the program passes them. Throws Refusal.
  JitLogs(unsigned count, CUjit_option* options, void** values);

  // Put into the program's buffers, cut to their size and ended by a NUL; the size options are set
  // to the bytes written.
  void write_error(const std::string& text) const { write(text, error_); }
  void write_info(const std::string& text) const { write(text, info_); }

 private:
  struct Log {
    char* buffer = nullptr;
    void** size = nullptr;
  };
  static void write(const std::string& text, const Log& log);

  Log error_;
  Log info_;
};

}  // namespace emulator::api
