// NVRTC can crash on a source, and takes the process with it: only its last words can then say that
// neither this program nor the kernel, which has not run, is what crashed.
#pragma once

#include <string>

namespace autokernel::compile {

// While it lives, a crash of this thread (SIGSEGV and its like, an overflow of the stack included)
// prints `line` on standard error and ends the process with kCompilerCrashed. A crash of another
// thread is what it is without this.
class CrashNote {
 public:
  explicit CrashNote(std::string line);
  CrashNote(const CrashNote&) = delete;
  CrashNote& operator=(const CrashNote&) = delete;
  ~CrashNote();

 private:
  std::string line_;
  std::string stack_;  // of the handler
};

}  // namespace autokernel::compile
