#include "serve/http_sessions.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/number.h"
#include "autokernel/base/visible_text.h"
#include "serve/listener.h"

namespace autokernel::serve {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::uint32_t kLargestHead = 16U << 10U;
constexpr std::size_t kPiece = std::size_t{64} << 10U;
// A request of some megabytes on a slow line; one that dribbles in is cut off.
constexpr std::chrono::seconds kToSend{60};
// The longest poll, and some more.
constexpr std::chrono::seconds kToAnswer{90};
constexpr std::chrono::seconds kIdle{60};
// Who has not shown a token by then makes room for others.
constexpr std::chrono::seconds kToBegin{5};
// For a client that is to see why it is cut off.
constexpr std::chrono::seconds kToHangUp{10};
constexpr std::size_t kMostDiscarded = std::size_t{64} << 20U;
constexpr unsigned kHttp11 = 11;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  // `seat` is of its address, until it shows a token.
  HttpSession(tcp::socket socket, HttpApi& api, std::size_t largest_body,
              std::shared_ptr<Seats> seats, std::shared_ptr<void> seat)
      : stream_(std::move(socket)),
        api_(api),
        largest_body_(largest_body),
        seats_(std::move(seats)),
        seat_(std::move(seat)) {}

  void read() {
    parser_ = std::make_unique<http::request_parser<http::string_body>>();
    parser_->header_limit(kLargestHead);
    parser_->body_limit(largest_body_);
    stream_.expires_after(std::exchange(is_first_, false) ? kToBegin : kIdle);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](error_code failed, std::size_t) {
                              if (self->goes_on(failed)) self->take_head();
                            });
  }

 private:
  // Before anything more is read of somebody who has no token.
  void take_head() {
    const auto& message = parser_->get();
    const std::string coding(message[http::field::transfer_encoding]);
    const bool is_bare = !message.has_content_length() && coding.empty();
    if (message.target() == "/health" && is_bare) return ask_for_body(0);
    const std::string client = api_.holder(token());
    if (client.empty()) return hang_up(401, "a token is needed: Authorization: Bearer TOKEN");
    // RFC 9112, 6.1: no other coding than chunked is known here.
    if (!coding.empty() && !message.chunked())
      return hang_up(400, "the transfer coding is not known");
    // From now on it counts as its own, and no longer as whoever's address it has.
    seat_.reset();
    seat_ = seats_->take("token " + client);
    unread_.emplace(api_.unread(), "token " + client);
    const std::size_t bytes = is_bare ? 0 : parser_->content_length().value_or(largest_body_);
    if (!seat_ || !unread_->set(bytes))
      return hang_up(503, "there is no room for more requests at a time");
    ask_for_body(bytes);
  }
  void hang_up(int status, const std::string& why) {
    is_last_ = true;
    send(refused(status, why));
  }
  [[nodiscard]] std::string token() const {
    constexpr std::string_view kBearer = "Bearer ";
    const auto& message = parser_->get();
    const std::string authorization(message[http::field::authorization]);
    return authorization.starts_with(kBearer) ? authorization.substr(kBearer.size())
                                              : std::string();
  }

  // Who waits to be told that the body is wanted (RFC 9110, 10.1.1), as curl does with a large one.
  void ask_for_body(std::size_t bytes) {
    const auto& message = parser_->get();
    const bool waits = bytes > 0 && message.version() >= kHttp11 &&
                       beast::iequals(message[http::field::expect], "100-continue");
    if (!waits) return read_body();
    stream_.expires_after(kToSend);
    asio::async_write(stream_, asio::buffer(kContinue),
                      [self = shared_from_this()](error_code failed, std::size_t) {
                        if (failed) return self->close();
                        self->read_body();
                      });
  }

  void read_body() {
    stream_.expires_after(kToSend);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code failed, std::size_t) {
                       if (self->goes_on(failed)) self->answer();
                     });
  }

  // What is no HTTP, or too much of it, is answered before it is closed.
  [[nodiscard]] bool goes_on(error_code failed) {
    if (!failed) return true;
    is_last_ = true;
    if (failed == http::error::body_limit) {
      send(refused(413, fmt::format("the body is larger than {} bytes", largest_body_)));
    } else if (failed == http::error::header_limit) {
      send(refused(431, fmt::format("the head is larger than {} bytes", kLargestHead)));
    } else if (failed.category() == make_error_code(http::error::bad_method).category() &&
               failed != http::error::end_of_stream && failed != http::error::partial_message) {
      send(refused(400, "this is no HTTP request: " + failed.message()));
    } else {
      close();
    }
    return false;
  }

  void answer() {
    const auto& message = parser_->get();
    is_last_ = !message.keep_alive();
    HttpRequest request;
    request.method = std::string(message.method_string());
    request.body = message.body();
    if (!read_target(std::string(message.target()), request))
      return send(refused(400, "the target is none"));
    request.token = token();
    stream_.expires_after(kToAnswer);
    api_.answer(request,
                [self = shared_from_this()](const HttpReply& reply) { self->send(reply); });
  }

  void send(const HttpReply& reply) {
    reply_ = {};
    reply_.version(kHttp11);
    reply_.result(static_cast<unsigned>(reply.status));
    reply_.set(http::field::content_type, reply.type);
    if (reply.status == 401) reply_.set(http::field::www_authenticate, "Bearer");
    if (reply.may_retry) reply_.set(http::field::retry_after, "5");
    if (!reply.allowed.empty()) reply_.set(http::field::allow, reply.allowed);
    reply_.keep_alive(!is_last_);
    reply_.body() = reply.body;
    reply_.prepare_payload();
    // Of what would be there, the head alone.
    if (parser_->get().method() == http::verb::head) reply_.body().clear();
    stream_.expires_after(kToSend);
    http::async_write(stream_, reply_, [self = shared_from_this()](error_code failed, std::size_t) {
      self->unread_.reset();
      if (failed || self->is_last_) return self->close();
      self->read();
    });
  }

  // A client that is still sending what was refused would be told of a reset otherwise, and never
  // see the answer.
  void close() {
    error_code ignored;
    ignored = stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(kToHangUp);
    discard();
  }
  void discard() {
    stream_.async_read_some(asio::buffer(discarded_),
                            [self = shared_from_this()](error_code failed, std::size_t count) {
                              self->discarded_bytes_ += count;
                              if (!failed && self->discarded_bytes_ < kMostDiscarded)
                                return self->discard();
                              self->stream_.close();
                            });
  }

  beast::tcp_stream stream_;
  HttpApi& api_;
  std::size_t largest_body_;
  std::shared_ptr<Seats> seats_;
  std::shared_ptr<void> seat_;
  std::optional<UnreadBytes::Share> unread_;
  // What is read and not yet looked at: a head, or a piece of a body.
  beast::flat_buffer buffer_{kLargestHead + kPiece};
  std::unique_ptr<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> reply_;
  std::array<char, 16384> discarded_{};
  std::size_t discarded_bytes_ = 0;
  bool is_first_ = true;
  bool is_last_ = false;
};

[[nodiscard]] tcp::endpoint endpoint_of(const std::string& address) {
  const auto refuse = [&] {
    throw Error(Stop::usage,
                fmt::format("cannot listen on '{}': --listen takes an address and a port, such as "
                            "127.0.0.1:8080, [::1]:8080 or 0.0.0.0:8080",
                            visible_line(address)));
  };
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) refuse();
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  std::uint16_t port = 0;
  if (!read_number(std::string_view(address).substr(colon + 1), port)) refuse();
  error_code failed;
  const auto parsed = asio::ip::make_address(host, failed);
  if (failed) refuse();
  return {parsed, port};
}

void listen_on(const std::string& address, tcp::acceptor& acceptor) {
  const tcp::endpoint endpoint = endpoint_of(address);
  error_code failed;
  failed = acceptor.open(endpoint.protocol(), failed);
  if (!failed) failed = acceptor.set_option(tcp::acceptor::reuse_address(true), failed);
  if (!failed) failed = acceptor.bind(endpoint, failed);
  if (!failed) failed = acceptor.listen(asio::socket_base::max_listen_connections, failed);
  if (failed) {
    throw Error(Stop::environment,
                fmt::format("cannot listen on {}: {}; choose another port by --listen, 0 is any",
                            address, failed.message()));
  }
}

}  // namespace

struct HttpSessions::Implementation {
  std::shared_ptr<Listener<tcp>> listener;
};

HttpSessions::HttpSessions(asio::io_context& context, const std::string& address, HttpApi& api,
                           const ClientLimits& limits)
    : implementation_(std::make_unique<Implementation>(
          Implementation{std::make_shared<Listener<tcp>>(context, limits.connections)})) {
  listen_on(address, implementation_->listener->acceptor());
  implementation_->listener->accept(
      [](tcp::socket& socket) {
        error_code unknown;
        const tcp::endpoint from = socket.remote_endpoint(unknown);
        return unknown ? std::string() : from.address().to_string();
      },
      [&api, largest = limits.body, seats = implementation_->listener->seats()](
          tcp::socket socket, const std::string& /*from*/, std::shared_ptr<void> seat) {
        std::make_shared<HttpSession>(std::move(socket), api, largest, seats, std::move(seat))
            ->read();
      });
}
HttpSessions::~HttpSessions() = default;
std::string HttpSessions::url() const {
  const tcp::endpoint local = implementation_->listener->acceptor().local_endpoint();
  const std::string address = local.address().to_string();
  return local.address().is_v6() ? fmt::format("http://[{}]:{}", address, local.port())
                                 : fmt::format("http://{}:{}", address, local.port());
}
void HttpSessions::close() { implementation_->listener->close(); }

}  // namespace autokernel::serve
