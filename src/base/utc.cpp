#include "autokernel/base/utc.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

namespace autokernel {

std::string utc_to_the_second() {
  return fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace autokernel
