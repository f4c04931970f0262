// The sockets of the mock server. Everything is on one thread: what is due goes out by plain calls
// of send(), and Asio is for what comes in.
#include "autokernel/lab/mock_server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/descriptor_limit.h"
#include "autokernel/base/error.h"
#include "autokernel/base/system_error.h"
#include "lab/mock/answering.h"

namespace autokernel::lab {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using RequestParser = beast::http::request_parser<beast::http::string_body>;
using boost::system::error_code;
using std::chrono::nanoseconds;

// A prompt of a million tokens fits in; what is larger is a mistake.
constexpr std::uint64_t kLargestBody = 8U << 20;
constexpr std::uint32_t kLargestHead = 16U << 10;
// Twice what a load test opens at most; each has a buffer or two.
constexpr std::size_t kMostConnections = 8192;
// Besides connections: the log, the timer, what the program has open.
constexpr std::size_t kOtherDescriptors = 32;
// Of an answer that its client does not read; then the connection is closed.
constexpr std::size_t kMostUnsent = 8U << 20;
// Connections that are not accepted yet: a load generator opens thousands at once.
constexpr int kBacklog = 4096;

// What all connections share.
struct Service {
  const MockServerSettings& settings;
  Answering& answering;
  std::function<void()> plan;    // an answer has begun
  std::function<void()> closed;  // a connection has
};

class MockConnection : public Peer, public std::enable_shared_from_this<MockConnection> {
 public:
  MockConnection(tcp::socket socket, const Service& service)
      : socket_(std::move(socket)), service_(service) {}

  void start() {
    error_code ignored;
    ignored = socket_.set_option(tcp::no_delay(true), ignored);
    ignored = socket_.non_blocking(true, ignored);
    await_bytes();
  }

  void send(std::string_view bytes) override {
    if (is_broken_) return;
    if (!unsent_.empty() || !being_sent_.empty()) {
      keep_unsent(bytes);
      return;
    }
    const ssize_t sent =
        ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
      break_off();
      return;
    }
    bytes.remove_prefix(sent < 0 ? 0 : static_cast<std::size_t>(sent));
    if (!bytes.empty()) keep_unsent(bytes);
  }

  void finish() override {
    number_.reset();
    if (closes_) {
      closes_when_sent_ = true;
      close_if_sent();
    } else if (!is_waiting_ || buffer_.size() > 0) {
      // Another request came early. Not from within Answering, which called.
      asio::post(socket_.get_executor(), [self = shared_from_this()] { self->read_head(); });
    }
  }

  void disconnect() override {
    number_.reset();
    close();
  }

 private:
  // One wait is under way at any time between requests and while a request is answered: it tells
  // of the next request, or that the client has gone.
  void await_bytes() {
    if (is_waiting_) return;
    is_waiting_ = true;
    socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](error_code failed) {
      self->is_waiting_ = false;
      if (!failed) self->bytes_came();
    });
  }

  void bytes_came() {
    if (!number_) {
      read_head();
      return;
    }
    char byte = 0;
    const ssize_t read =
        ::recv(socket_.native_handle(), &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
    const bool is_gone = read == 0 || (read < 0 && errno != EAGAIN && errno != EINTR);
    if (is_gone) {
      close();
    } else if (read < 0) {
      await_bytes();
    }
    // A next request that came early is read after this one.
  }

  void read_head() {
    if (is_reading_ || number_ || !socket_.is_open()) return;
    is_reading_ = true;
    parser_ = std::make_unique<RequestParser>();
    parser_->header_limit(kLargestHead);
    parser_->body_limit(kLargestBody);
    beast::http::async_read_header(socket_, buffer_, *parser_,
                                   [self = shared_from_this()](error_code failed, std::size_t) {
                                     if (self->goes_on(failed)) self->read_body();
                                   });
  }

  void read_body() {
    const auto expected = parser_->get().find(beast::http::field::expect);
    if (expected != parser_->get().end() && beast::iequals(expected->value(), "100-continue")) {
      send("HTTP/1.1 100 Continue\r\n\r\n");
    }
    beast::http::async_read(socket_, buffer_, *parser_,
                            [self = shared_from_this()](error_code failed, std::size_t) {
                              const MockTime arrival = std::chrono::steady_clock::now();
                              if (self->goes_on(failed)) self->take(arrival);
                            });
  }

  // Whether there is something to go on with; what is no HTTP, or too much of it, is answered.
  [[nodiscard]] bool goes_on(error_code failed) {
    if (!failed) return true;
    using beast::http::error;
    const bool is_http = failed.category() == make_error_code(error::bad_method).category();
    if (is_http && failed != error::end_of_stream && failed != error::partial_message) {
      closes_ = true;
      if (failed == error::body_limit) {
        refuse({.status = 413,
                .message = fmt::format("the request is larger than {} bytes", kLargestBody)});
      } else if (failed == error::header_limit) {
        refuse({.status = 431,
                .message =
                    fmt::format("the head of the request is larger than {} bytes", kLargestHead)});
      } else {
        refuse({.message = "this is not an HTTP request: " + failed.message()});
      }
    } else {
      close();
    }
    return false;
  }

  void refuse(const ApiRefusal& refusal) { reply(refusal.status, refusal_body(refusal)); }

  void reply(int status, const std::string& json) {
    send(http_reply(status, json, !closes_));
    finish();
  }

  void take(MockTime arrival) {
    is_reading_ = false;
    const auto& message = parser_->get();
    closes_ = !message.keep_alive();
    const std::string target(message.target().data(), message.target().size());
    const std::string path = target.substr(0, target.find('?'));
    const bool is_post = message.method() == beast::http::verb::post;
    const bool is_get = message.method() == beast::http::verb::get;
    const bool is_known_get = path == "/health" || path == "/v1/models";
    const bool is_chat = path == "/v1/chat/completions";
    const bool is_known_post = is_chat || path == "/v1/completions";
    if (is_get && path == "/health") {
      reply(200, R"({"status":"ok"})");
    } else if (is_get && path == "/v1/models") {
      reply(200, models_body(service_.settings.model));
    } else if (is_post && is_known_post) {
      complete(is_chat ? Endpoint::chat : Endpoint::completions, arrival);
    } else if (is_known_get || is_known_post) {
      refuse({.status = 405,
              .message = fmt::format("{} takes {} alone", path, is_known_get ? "GET" : "POST")});
    } else {
      refuse({.status = 404,
              .message = fmt::format("there is no {} here; there are /v1/chat/completions, "
                                     "/v1/completions, /v1/models and /health",
                                     path)});
    }
  }

  void complete(Endpoint endpoint, MockTime arrival) {
    const auto read =
        read_completion_request(endpoint, parser_->get().body(), service_.settings.model);
    if (const auto* refusal = std::get_if<ApiRefusal>(&read)) {
      refuse(*refusal);
      return;
    }
    const auto& request = std::get<CompletionRequest>(read);
    if (request.streamed && parser_->get().version() < 11) {
      refuse({.message = "a stream is sent in chunks, for which the request must be HTTP/1.1"});
      return;
    }
    number_ = service_.answering.begin(request, *this, arrival);
    await_bytes();
    service_.plan();
  }

  void keep_unsent(std::string_view bytes) {
    unsent_ += bytes;
    if (unsent_.size() > kMostUnsent) {
      break_off();
    } else if (being_sent_.empty()) {
      send_kept();
    }
  }

  void send_kept() {
    being_sent_.swap(unsent_);
    asio::async_write(socket_, asio::buffer(being_sent_),
                      [self = shared_from_this()](error_code failed, std::size_t) {
                        self->being_sent_.clear();
                        if (failed) {
                          self->close();
                        } else if (!self->unsent_.empty()) {
                          self->send_kept();
                        } else {
                          self->close_if_sent();
                        }
                      });
  }

  void close_if_sent() {
    if (!closes_when_sent_ || !unsent_.empty() || !being_sent_.empty()) return;
    // A client that is still sending what was refused would be told of a reset otherwise, and
    // never see the answer.
    error_code ignored;
    ignored = socket_.shutdown(tcp::socket::shutdown_send, ignored);
    discard();
  }

  void discard() {
    socket_.async_read_some(asio::buffer(discarded_),
                            [self = shared_from_this()](error_code failed, std::size_t) {
                              if (failed) {
                                self->close();
                              } else {
                                self->discard();
                              }
                            });
  }

  // The client cannot be written to. Answering, which called, is told later.
  void break_off() {
    is_broken_ = true;
    asio::post(socket_.get_executor(), [self = shared_from_this()] { self->close(); });
  }

  void close() {
    if (!socket_.is_open()) return;
    if (const auto number = std::exchange(number_, std::nullopt)) {
      service_.answering.abandon(*number);
    }
    error_code ignored;
    ignored = socket_.close(ignored);
    service_.closed();
  }

  tcp::socket socket_;
  const Service& service_;
  beast::flat_buffer buffer_;
  std::unique_ptr<RequestParser> parser_;  // of the request that is being read
  std::optional<std::uint64_t> number_;    // of the answer under way
  std::string unsent_;
  std::string being_sent_;
  std::array<char, 1024> discarded_{};
  bool is_waiting_ = false;
  bool is_reading_ = false;
  bool is_broken_ = false;
  bool closes_ = false;  // after this answer
  bool closes_when_sent_ = false;
};

[[nodiscard]] tcp::endpoint endpoint_of(const MockServerSettings& settings) {
  error_code failed;
  const std::string host = settings.host == "localhost" ? "127.0.0.1" : settings.host;
  const auto address = asio::ip::make_address(host, failed);
  if (failed) {
    throw Error(Stop::usage, fmt::format("cannot listen on '{}': --host takes an address such as "
                                         "127.0.0.1, 0.0.0.0 or ::1, or localhost",
                                         settings.host));
  }
  return {address, settings.port};
}

[[nodiscard]] Error cannot_listen(const MockServerSettings& settings, const error_code& failed) {
  return {Stop::environment,
          fmt::format("cannot listen on {} port {} (choose another with --port; 0 is any that "
                      "is free): {} [bind]",
                      settings.host, settings.port, failed.message())};
}

[[nodiscard]] itimerspec timer_at(MockTime time) {
  const auto since = std::chrono::duration_cast<nanoseconds>(time.time_since_epoch());
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(since);
  itimerspec timer{};
  timer.it_value.tv_sec = whole.count();
  timer.it_value.tv_nsec = (since - whole).count();
  return timer;
}

}  // namespace

class MockServer::Implementation {
 public:
  explicit Implementation(const MockServerSettings& settings)
      : settings_(settings),
        log_(settings.log.empty() ? RequestLog() : RequestLog(settings.log)),
        answering_(settings_, log_, [] { return std::chrono::steady_clock::now(); }) {
    const std::size_t descriptors = raise_descriptor_limit();
    most_connections_ = std::min(kMostConnections,
                                 std::max(descriptors, 2 * kOtherDescriptors) - kOtherDescriptors);
    listen();
    const int timer = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (timer < 0) {
      throw system_failure(Stop::environment, "cannot make a timer", "timerfd_create");
    }
    timer_.assign(timer);
  }

  [[nodiscard]] std::string url() const {
    const tcp::endpoint local = acceptor_.local_endpoint();
    const std::string address = local.address().to_string();
    return local.address().is_v6() ? fmt::format("http://[{}]:{}", address, local.port())
                                   : fmt::format("http://{}:{}", address, local.port());
  }

  void run(int stop_descriptor) {
    // Asio closes what it waits on.
    const int stop = ::dup(stop_descriptor);
    if (stop < 0) throw system_failure(Stop::environment, "cannot wait for the end", "dup");
    asio::posix::stream_descriptor stopping(context_, stop);
    stopping.async_wait(asio::posix::stream_descriptor::wait_read,
                        [this](error_code) { context_.stop(); });
    await_timer();
    accept();
    context_.run();
    answering_.abandon_all();
    log_.flush();
  }

 private:
  void listen() {
    const tcp::endpoint endpoint = endpoint_of(settings_);
    error_code failed;
    failed = acceptor_.open(endpoint.protocol(), failed);
    if (!failed) failed = acceptor_.set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed) failed = acceptor_.bind(endpoint, failed);
    if (!failed) failed = acceptor_.listen(kBacklog, failed);
    if (failed) throw cannot_listen(settings_, failed);
  }

  void accept() {
    if (is_accepting_ || connections_ >= most_connections_) return;
    is_accepting_ = true;
    acceptor_.async_accept([this](error_code failed, tcp::socket socket) {
      is_accepting_ = false;
      if (!failed) {
        ++connections_;
        std::make_shared<MockConnection>(std::move(socket), service_)->start();
      }
      accept();
    });
  }

  void await_timer() {
    timer_.async_wait(asio::posix::stream_descriptor::wait_read, [this](error_code failed) {
      if (failed) return;
      std::uint64_t expirations = 0;
      // Nothing to read where the timer has been set again meanwhile.
      if (::read(timer_.native_handle(), &expirations, sizeof expirations) < 0) expirations = 0;
      armed_.reset();
      plan_for(answering_.serve());
      if (answering_.is_idle()) log_.flush();
      await_timer();
    });
  }

  void plan_for(std::optional<MockTime> next) {
    if (!next || (armed_ && *armed_ <= *next)) return;
    armed_ = next;
    const itimerspec timer = timer_at(*next);
    if (::timerfd_settime(timer_.native_handle(), TFD_TIMER_ABSTIME, &timer, nullptr) != 0) {
      throw system_failure(Stop::environment, "cannot set a timer", "timerfd_settime");
    }
  }

  void connection_closed() {
    --connections_;
    accept();
  }

  MockServerSettings settings_;
  RequestLog log_;
  Answering answering_;
  Service service_{.settings = settings_,
                   .answering = answering_,
                   .plan = [this] { plan_for(answering_.next_due()); },
                   .closed = [this] { connection_closed(); }};
  std::size_t most_connections_ = 0;
  std::size_t connections_ = 0;
  bool is_accepting_ = false;
  std::optional<MockTime> armed_;
  asio::io_context context_{1};  // one thread
  tcp::acceptor acceptor_{context_};
  asio::posix::stream_descriptor timer_{context_};
};

MockServer::MockServer(const MockServerSettings& settings)
    : implementation_(std::make_unique<Implementation>(settings)) {}
MockServer::~MockServer() = default;

std::string MockServer::url() const { return implementation_->url(); }
void MockServer::run(int stop_descriptor) { implementation_->run(stop_descriptor); }

}  // namespace autokernel::lab
