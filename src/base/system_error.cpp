#include "autokernel/base/system_error.h"

#include <cerrno>
#include <system_error>

namespace autokernel {

Error system_failure(Stop stop, const std::string& attempt, const char* call) {
  return system_failure(stop, attempt, call, errno);
}

Error system_failure(Stop stop, const std::string& attempt, const char* call, int number) {
  return {stop, attempt + ": " + std::generic_category().message(number) + " [" + call + "]"};
}

}  // namespace autokernel
