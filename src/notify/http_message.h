// A request as it is sent, but for where to.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace autokernel::notify {

struct HttpMessage {
  std::string method = "POST";
  // Names and values without line breaks; Content-Length is not among them.
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
};

}  // namespace autokernel::notify
