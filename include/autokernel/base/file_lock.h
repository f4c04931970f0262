// One program at a time: a lock on a file that the system gives up for whoever dies.
#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "autokernel/base/descriptor.h"

namespace autokernel {

// Held until it goes, or the program ends in whatever way: a file that was left behind locks
// nothing.
class FileLock {
 public:
  // Who holds it: "process 4711, autokernel loop step, since 2026-01-31 12:34:56 UTC".
  struct Holder {
    std::string text;
  };

  // Takes it, if nobody holds it. `purpose` is what others report meanwhile. The folder must
  // exist. Throws Error(environment) where the file cannot be locked at all.
  [[nodiscard]] static std::variant<FileLock, Holder> take(const std::filesystem::path& file,
                                                           const std::string& purpose);
  // Waits until nobody holds it, for ever if need be.
  [[nodiscard]] static FileLock wait(const std::filesystem::path& file, const std::string& purpose);

 private:
  FileLock(Descriptor file, const std::string& purpose);

  Descriptor file_;
  // Empties the file when the lock is given up in order.
  Owned<DescriptorNumber> wording_;
};

}  // namespace autokernel
