// A folder of our own under the system's temporary folder, gone with its owner.
#pragma once

#include <filesystem>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/owned.h"

namespace autokernel {

// A new, empty folder that only this user can enter. It is removed with everything in it when its
// owner goes; if the owner was killed before it could, the next ScratchDirectory of the same user
// removes it.
class ScratchDirectory {
 public:
  // Below `parent`, or where that is empty below TMPDIR, or /tmp. Throws Error(environment).
  explicit ScratchDirectory(const std::filesystem::path& parent = {});

  [[nodiscard]] std::filesystem::path path() const { return path_.get(); }

 private:
  Owned<std::filesystem::path> path_;
  // Locked as long as we live, which tells a folder in use from one that was left behind.
  Descriptor lock_;
};

}  // namespace autokernel
