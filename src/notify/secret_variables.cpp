#include "autokernel/notify/secret_variables.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace autokernel::notify {

Variables without_notify_variables(Variables variables) {
  for (const std::string_view name : kNotifyVariables) variables.erase(std::string(name));
  return variables;
}

void forget_notify_variables() {
  for (const std::string_view name : kNotifyVariables) {
    const std::string variable(name);
    // What was taken out of the list would still be in /proc/<id>/environ, for all of this user's.
    char* value =
        std::getenv(variable.c_str());  // NOLINT(concurrency-mt-unsafe): there is one thread
    if (value != nullptr) ::explicit_bzero(value, std::strlen(value));
    ::unsetenv(variable.c_str());  // NOLINT(concurrency-mt-unsafe): the same
  }
}

}  // namespace autokernel::notify
