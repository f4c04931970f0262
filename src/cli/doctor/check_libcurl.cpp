// libcurl makes the requests of bench-http, of cases of servers, and of notifications.
#include "cli/doctor/checks.h"

namespace autokernel::cli::doctor {

Lines check_libcurl(const Facts& facts) {
  if (!facts.host.answer) return {};
  const HostFacts& host = *facts.host.answer;
  if (!host.curl.empty()) return {{"libcurl", Standing::ok, host.curl}};
  return {{"libcurl", Standing::missing, host.curl_trouble, "sudo apt-get install libcurl4"}};
}

}  // namespace autokernel::cli::doctor
