// A disk on which a change of a file fails: a write, a file or folder made, cut, renamed, removed
// or brought to the disk.
#pragma once

#include <cstdint>
#include <string>

namespace autokernel::test {

enum class DiskFault : std::uint8_t {
  once,  // the N-th change fails with EIO, that one alone
  full   // from the N-th on, whatever takes room fails with ENOSPC
};

struct DiskState;

// While it lives, of this process and those forked meanwhile, counted together. `nth` is counted
// from 1, among the changes below `folder`; 0: none fails.
class FaultyDisk {
 public:
  FaultyDisk(int nth, DiskFault fault, const std::string& folder);
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;
  FaultyDisk(FaultyDisk&&) = delete;
  FaultyDisk& operator=(FaultyDisk&&) = delete;
  ~FaultyDisk();

  [[nodiscard]] int changes() const;
  [[nodiscard]] int failures() const;

 private:
  DiskState* state_;
};

}  // namespace autokernel::test
