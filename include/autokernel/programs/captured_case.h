// A case made of a captured launch: its tensors and parameters as they were, and the kernel itself
// as what results are compared with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/programs/captured_launch.h"
#include "autokernel/programs/study.h"

namespace autokernel::programs {

struct CapturedCase {
  std::filesystem::path folder;        // does not exist yet
  std::string program;                 // that it was captured from, for comments
  CapturedLaunch launch;               // with its memory
  Study study;                         // of it, without trouble
  std::vector<CapturedLaunch> others;  // those of study.others, with their memory
};

// In which language a kernel of one's own begins.
enum class Backend : std::uint8_t { cuda, triton };

struct WrittenCase {
  std::vector<std::string> files;  // by path from the folder
  std::vector<std::string> notes;  // what the reader should know: one sentence each
};

// Writes case.toml, original.toml, kernel.cu or kernel.py, and capture/ with code and values, which
// is this user's alone and ignored by git. Throws Error(usage) where the launch makes no case,
// saying why, and Error(environment) where it cannot be written.
WrittenCase write_captured_case(const CapturedCase& captured, Backend backend = Backend::cuda);

}  // namespace autokernel::programs
