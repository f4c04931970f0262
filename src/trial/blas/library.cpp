#include "trial/blas/library.h"

#include <limits>

#include "autokernel/base/error.h"

namespace autokernel::trial {

int library_int(std::int64_t size) {
  if (size > std::numeric_limits<int>::max()) {
    throw Error(Stop::usage, "cannot multiply matrices with a side of " + std::to_string(size) +
                                 ": libraries count in 32 bits; choose smaller sizes in case.toml");
  }
  return static_cast<int>(size);
}

}  // namespace autokernel::trial
