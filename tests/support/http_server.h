// A small HTTP server on this machine that behaves as badly as a test wants it to.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "autokernel/base/descriptor.h"

namespace autokernel::test {

// What it does with one request, once it has read it.
struct Reaction {
  std::string answer;                  // the bytes of head and body, as they are
  std::chrono::milliseconds pause{0};  // before it
  std::size_t endless = 0;             // so many further bytes of body, unless the other side goes
  bool hangs = false;                  // sends nothing, and waits until the other side goes
};

// "HTTP/1.1 <status> ..." with these header lines ("Retry-After: 1\r\n") and the body.
[[nodiscard]] std::string http_answer(int status, const std::string& header_lines = "",
                                      const std::string& body = "");

struct HttpRequest {
  std::string method;
  std::string path;
  std::map<std::string, std::string> headers;  // by their names in small letters
  std::string body;
  std::chrono::steady_clock::time_point at;
};

// Answers on a port of 127.0.0.1, in a thread of its own, one connection after the other. Request N
// gets reaction N, further ones the last.
class HttpServer {
 public:
  explicit HttpServer(std::vector<Reaction> reactions);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  HttpServer(HttpServer&&) = delete;
  HttpServer& operator=(HttpServer&&) = delete;
  ~HttpServer();

  [[nodiscard]] int port() const { return port_; }
  // "http://127.0.0.1:<port><path>".
  [[nodiscard]] std::string url(const std::string& path) const;
  // Those that were read to their end.
  [[nodiscard]] std::vector<HttpRequest> requests() const;
  // The same, once there are so many; fewer where that takes longer than ten seconds.
  [[nodiscard]] std::vector<HttpRequest> wait_for(std::size_t count) const;

 private:
  void serve();
  void serve_connection(const Descriptor& connection);
  [[nodiscard]] bool wait_for_bytes(const Descriptor& connection) const;
  [[nodiscard]] bool read_request(const Descriptor& connection, HttpRequest& request) const;
  void react(const Descriptor& connection, const Reaction& reaction) const;

  std::vector<Reaction> reactions_;
  int port_ = 0;
  Descriptor listening_;
  Pipe stop_;
  mutable std::mutex mutex_;
  std::vector<HttpRequest> requests_;
  std::thread thread_;
};

// A port of 127.0.0.1 at which nobody listens.
[[nodiscard]] int closed_port();

}  // namespace autokernel::test
