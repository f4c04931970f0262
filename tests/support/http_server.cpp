#include "support/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>

namespace autokernel::test {
namespace {

[[nodiscard]] sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

// Bound to a port that the system chose.
[[nodiscard]] Descriptor bound_socket(int& port) {
  Descriptor made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* const pointer = reinterpret_cast<sockaddr*>(&address);
  if (!made.is_open() || ::bind(made.get(), pointer, size) != 0 ||
      ::getsockname(made.get(), pointer, &size) != 0) {
    throw std::runtime_error("cannot bind a socket to 127.0.0.1");
  }
  port = ntohs(address.sin_port);
  return made;
}

[[nodiscard]] std::string small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// "POST /x HTTP/1.1\r\nA: b\r\n" into the request.
void take_head(const std::string& head, HttpRequest& request) {
  const std::size_t end = head.find("\r\n");
  const std::string line = head.substr(0, end);
  const std::size_t first = line.find(' ');
  const std::size_t second = line.find(' ', first + 1);
  request.method = line.substr(0, first);
  request.path = line.substr(first + 1, second - first - 1);
  for (std::size_t at = end + 2; at < head.size();) {
    const std::size_t line_end = std::min(head.find("\r\n", at), head.size());
    const std::string header = head.substr(at, line_end - at);
    const std::size_t colon = header.find(':');
    if (colon != std::string::npos) {
      const std::size_t value = header.find_first_not_of(' ', colon + 1);
      request.headers[small_letters(header.substr(0, colon))] =
          value == std::string::npos ? "" : header.substr(value);
    }
    at = line_end + 2;
  }
}

bool send_all(const Descriptor& connection, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count =
        ::send(connection.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

std::string http_answer(int status, const std::string& header_lines, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) + " Said\r\nConnection: close\r\n" + header_lines +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

int closed_port() {
  int port = 0;
  const Descriptor gone = bound_socket(port);
  return port;
}

HttpServer::HttpServer(std::vector<Reaction> reactions)
    : reactions_(std::move(reactions)), listening_(bound_socket(port_)), stop_(make_pipe()) {
  constexpr int kQueue = 16;
  if (::listen(listening_.get(), kQueue) != 0) throw std::runtime_error("cannot listen");
  thread_ = std::thread([this] { serve(); });
}

HttpServer::~HttpServer() {
  stop_.writing.close();
  thread_.join();
}

std::string HttpServer::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

std::vector<HttpRequest> HttpServer::requests() const {
  const std::scoped_lock lock(mutex_);
  return requests_;
}

std::vector<HttpRequest> HttpServer::wait_for(std::size_t count) const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  while (requests().size() < count && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return requests();
}

void HttpServer::serve() {
  while (wait_for_bytes(listening_)) {
    const Descriptor connection(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection.is_open()) serve_connection(connection);
  }
}

// False once the server is to stop.
bool HttpServer::wait_for_bytes(const Descriptor& connection) const {
  std::array watched = {pollfd{.fd = connection.get(), .events = POLLIN, .revents = 0},
                        pollfd{.fd = stop_.reading.get(), .events = POLLIN, .revents = 0}};
  ::poll(watched.data(), watched.size(), -1);
  return watched[1].revents == 0;
}

void HttpServer::serve_connection(const Descriptor& connection) {
  HttpRequest request;
  if (!read_request(connection, request)) return;
  Reaction reaction;
  {
    const std::scoped_lock lock(mutex_);
    reaction = reactions_[std::min(requests_.size(), reactions_.size() - 1)];
    requests_.push_back(std::move(request));
  }
  react(connection, reaction);
}

bool HttpServer::read_request(const Descriptor& connection, HttpRequest& request) const {
  std::string bytes;
  std::size_t head = std::string::npos;
  std::size_t whole = std::string::npos;
  while (bytes.size() < whole) {
    if (!wait_for_bytes(connection)) return false;
    std::array<char, 65536> piece{};
    const ssize_t count = ::recv(connection.get(), piece.data(), piece.size(), 0);
    if (count <= 0) return false;
    bytes.append(piece.data(), static_cast<std::size_t>(count));
    if (head != std::string::npos) continue;
    head = bytes.find("\r\n\r\n");
    if (head == std::string::npos) continue;
    take_head(bytes.substr(0, head + 2), request);
    const auto length = request.headers.find("content-length");
    whole = head + 4 + (length == request.headers.end() ? 0 : std::stoul(length->second));
  }
  request.body = bytes.substr(head + 4);
  request.at = std::chrono::steady_clock::now();
  return true;
}

void HttpServer::react(const Descriptor& connection, const Reaction& reaction) const {
  std::this_thread::sleep_for(reaction.pause);
  if (reaction.hangs) {
    static_cast<void>(wait_for_bytes(connection));
    return;
  }
  if (!send_all(connection, reaction.answer)) return;
  const std::string piece(65536, 'x');
  for (std::size_t sent = 0; sent < reaction.endless; sent += piece.size()) {
    if (!send_all(connection, piece)) return;
  }
  // What closes with unread bytes resets the connection, and the answer with it.
  ::shutdown(connection.get(), SHUT_WR);
  std::array<char, 4096> rest{};
  while (wait_for_bytes(connection) && ::recv(connection.get(), rest.data(), rest.size(), 0) > 0) {
  }
}

}  // namespace autokernel::test
