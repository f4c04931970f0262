// A request of the HTTP interface and its reply, without the sockets.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace autokernel::serve {

struct HttpRequest {
  std::string method;                        // "GET"
  std::string path;                          // "/v1/trials/7", decoded
  std::map<std::string, std::string> query;  // "timeout" -> "30", decoded
  std::string token;                         // of "Authorization: Bearer"; empty: none
  std::string body;
};

struct HttpReply {
  int status = 200;
  std::string body;
  std::string type = "application/json";
  bool may_retry = false;    // after a while: Retry-After
  std::string allowed = {};  // of a 405: the methods that there are
};

// Called once, now or later.
using Respond = std::function<void(HttpReply)>;

// The path and the query of a target ("/tasks/7?timeout=3"). False where it is none.
[[nodiscard]] bool read_target(const std::string& target, HttpRequest& request);

}  // namespace autokernel::serve
