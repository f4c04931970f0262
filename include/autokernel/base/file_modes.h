// What a confined command (sandbox.h) cannot do by itself, since Landlock knows nothing of it or
// cannot tell: change the modes and times of files, and, where it has devices, open what /proc says
// of itself and name its threads. The kernel hands such calls to whoever started it, who carries
// them out where the file is the command's own.
#pragma once

#include <cstdint>
#include <filesystem>

#include "autokernel/base/descriptor.h"

namespace autokernel {

class FileModes {
 public:
  // `listener` is what confine_command() gave; `own` the folder that was meant there. Throws
  // Error(environment).
  FileModes(Descriptor listener, const std::filesystem::path& own);

  // Can be read when a call waits.
  [[nodiscard]] int descriptor() const noexcept { return listener_.get(); }
  // Answers the calls that wait; does not wait itself. Files that are not below the folder, and
  // whatever cannot be understood, are answered with EPERM.
  void answer() const;

  // One call that waits, as far as it is understood.
  struct WaitingCall;

 private:
  [[nodiscard]] int error_of(const WaitingCall& call, std::uint64_t id) const;

  Descriptor listener_;
  Descriptor own_;
  std::filesystem::path folder_;
};

}  // namespace autokernel
