#include "thread_number.h"

#include <unistd.h>

namespace recording {
namespace {

// Asking the kernel costs a hundred nanoseconds, as much as all else that is done at a launch.
constinit thread_local std::uint64_t known = 0;

}  // namespace

std::uint64_t thread_number() {
  if (known == 0) known = static_cast<std::uint64_t>(::gettid());
  return known;
}

void forget_thread_number() { known = 0; }

}  // namespace recording
