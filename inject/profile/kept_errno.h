// Leaves errno as it was: what is called behind the program's back must not change what it reads.
#pragma once

#include <cerrno>

namespace recording {

class [[nodiscard]] KeptErrno {
 public:
  KeptErrno() : value_(errno) {}
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;
  KeptErrno(KeptErrno&&) = delete;
  KeptErrno& operator=(KeptErrno&&) = delete;
  ~KeptErrno() { errno = value_; }

 private:
  int value_;
};

}  // namespace recording
