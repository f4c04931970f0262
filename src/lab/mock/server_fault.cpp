#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "autokernel/base/error.h"
#include "autokernel/lab/mock_server.h"

namespace autokernel::lab {
namespace {

struct NamedFault {
  ServerFault fault;
  const char* name;
};
constexpr std::array kServerFaults = {NamedFault{ServerFault::hang, "hang"},
                                      NamedFault{ServerFault::crash, "crash"},
                                      NamedFault{ServerFault::slow, "slow"},
                                      NamedFault{ServerFault::wrong_usage, "wrong-usage"},
                                      NamedFault{ServerFault::cache, "cache"},
                                      NamedFault{ServerFault::disconnect, "disconnect"},
                                      NamedFault{ServerFault::http_500, "http-500"},
                                      NamedFault{ServerFault::bad_json, "bad-json"}};

}  // namespace

std::vector<std::string> server_fault_names() {
  std::vector<std::string> names;
  names.reserve(kServerFaults.size());
  for (const NamedFault& named : kServerFaults) names.emplace_back(named.name);
  return names;
}

ServerFault server_fault_named(const std::string& name) {
  const auto* found = std::ranges::find(kServerFaults, name, &NamedFault::name);
  if (found == kServerFaults.end()) {
    throw Error(Stop::usage, fmt::format("cannot plan the fault '{}': it takes {}", name,
                                         fmt::join(server_fault_names(), ", ")));
  }
  return found->fault;
}

std::string server_fault_name(ServerFault fault) {
  const auto* found = std::ranges::find(kServerFaults, fault, &NamedFault::fault);
  return found == kServerFaults.end() ? "" : found->name;
}

}  // namespace autokernel::lab
