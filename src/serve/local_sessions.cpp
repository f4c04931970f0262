#include "serve/local_sessions.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

#include "autokernel/base/error.h"
#include "autokernel/base/line_buffer.h"
#include "autokernel/base/local_socket.h"
#include "autokernel/trial/message.h"
#include "serve/answer.h"
#include "serve/seats.h"

namespace autokernel::serve {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using asio::local::stream_protocol;
using boost::system::error_code;
using std::chrono::seconds;

// A client that was cut off comes back within this, or its trial is not wanted any more.
constexpr seconds kToComeBack{15};
constexpr std::chrono::milliseconds kAfterFailure{200};
// Of a client that does not read: then it is cut off.
constexpr std::size_t kMostUnsent = std::size_t{32} << 20U;
// Of all clients together, whose lines have not ended yet.
constexpr std::size_t kMostUnread = std::size_t{200} << 20U;
// A request with sources of some megabytes, written in JSON.
constexpr std::size_t kLargestLine = std::size_t{12} << 20U;

class LocalSession : public std::enable_shared_from_this<LocalSession> {
 public:
  LocalSession(stream_protocol::socket socket, std::string client, Service& service,
               std::shared_ptr<void> seat)
      : socket_(std::move(socket)),
        client_(std::move(client)),
        service_(service),
        seat_(std::move(seat)) {}

  LocalSession(const LocalSession&) = delete;
  LocalSession& operator=(const LocalSession&) = delete;
  ~LocalSession() = default;

  void start() {
    send(trial::judge_greeting() + "\n");
    read();
  }

 private:
  void read() {
    socket_.async_read_some(asio::buffer(piece_),
                            [self = shared_from_this()](error_code failed, std::size_t count) {
                              if (failed) return self->close();
                              self->lines_.add({self->piece_.data(), count});
                              self->service_.unread_bytes -= self->counted_;
                              self->counted_ = self->lines_.unfinished();
                              self->service_.unread_bytes += self->counted_;
                              if (self->service_.unread_bytes > kMostUnread) return self->close();
                              self->take_lines();
                              if (self->lines_.unfinished() > kLargestLine) return self->close();
                              if (self->socket_.is_open() && !self->is_at_its_end_) self->read();
                            });
  }

  // One at a time, so that who sends many does not keep the others waiting.
  void take_lines() {
    if (is_at_its_end_) return;
    const auto line = lines_.next();
    if (!line) return;
    try {
      take_line(*line);
    } catch (const Refusal& refusal) {
      fail(Stop::environment, "the judge does not take it now: " + refusal.what);
    } catch (const Error& error) {
      fail(error.stop(), error.what());
      // What is no message comes from nobody who speaks this language.
      is_at_its_end_ = error.stop() == Stop::internal;
    }
    asio::post(socket_.get_executor(), [self = shared_from_this()] { self->take_lines(); });
  }
  void take_line(const std::string& line) {
    const trial::JudgeMessage message = trial::decode_judge_message(line);
    std::visit([this](const auto& what) { take(what); }, message);
  }

  void take(const trial::JudgeOrder& order) {
    if (task_) throw Error(Stop::usage, "one trial at a time goes by one connection");
    const RegisteredCase* own = service_.cases().with_digest(order.case_digest);
    if (own == nullptr) {
      throw Error(Stop::usage,
                  "the judge does not have this case, or has another version of it; its owner "
                  "registers cases with 'autokernel serve --cases'");
    }
    const TrialId id =
        service_.submit(client_, order.key, *own, order.order, order.deadline_seconds);
    task_ = id;
    send(trial::encode(trial::Event(trial::Phase::queue)));
    const std::weak_ptr<LocalSession> weak = weak_from_this();
    watch_ = service_.dispatcher().watch(id, {.progress =
                                                  [weak](std::string_view event) {
                                                    if (const auto self = weak.lock())
                                                      self->send(std::string(event));
                                                  },
                                              .over =
                                                  [weak](const Task& task) {
                                                    if (const auto self = weak.lock())
                                                      self->tell_over(task);
                                                  }});
  }
  void take(const trial::JudgeCancel& /*cancel*/) {
    if (!task_) return;
    const TrialId task = *task_;
    task_.reset();
    service_.dispatcher().unwatch(std::exchange(watch_, 0));
    if (!service_.dispatcher().is_watched(task)) service_.dispatcher().cancel(task);
  }

  void tell_over(const Task& task) {
    task_.reset();
    watch_ = 0;
    send(event_of(task));
  }
  void fail(Stop stop, const std::string& what) {
    send(trial::encode(trial::Event(trial::Failure{.stop = stop, .what = what})));
  }

  void send(const std::string& text) {
    if (!socket_.is_open()) return;
    unsent_ += text;
    if (unsent_.size() > kMostUnsent) return close();
    if (being_sent_.empty()) send_kept();
  }
  void send_kept() {
    being_sent_.swap(unsent_);
    asio::async_write(socket_, asio::buffer(being_sent_),
                      [self = shared_from_this()](error_code failed, std::size_t) {
                        self->being_sent_.clear();
                        if (failed) return self->close();
                        if (!self->unsent_.empty()) return self->send_kept();
                        if (self->is_at_its_end_) self->close();
                      });
  }

  void close() {
    if (!socket_.is_open()) return;
    service_.unread_bytes -= std::exchange(counted_, 0);
    error_code ignored;
    ignored = socket_.close(ignored);
    if (!task_) return;
    const TrialId task = *task_;
    task_.reset();
    service_.dispatcher().unwatch(std::exchange(watch_, 0));
    auto timer = std::make_shared<asio::steady_timer>(socket_.get_executor(), kToComeBack);
    timer->async_wait([timer, task, &service = service_](error_code failed) {
      if (!failed && !service.dispatcher().is_watched(task)) service.dispatcher().cancel(task);
    });
  }

  stream_protocol::socket socket_;
  std::string client_;
  Service& service_;
  const std::shared_ptr<void> seat_;
  LineBuffer lines_;
  std::array<char, 65536> piece_{};
  std::string unsent_;
  std::string being_sent_;
  std::optional<TrialId> task_;
  Dispatcher::WatchId watch_ = 0;
  std::size_t counted_ = 0;     // of its bytes, in Service::unread_bytes
  bool is_at_its_end_ = false;  // once all is sent
};

[[nodiscard]] std::string client_of(stream_protocol::socket& socket) {
  const auto peer = peer_of(socket.native_handle());
  return peer ? fmt::format("uid {}", peer->user) : std::string();
}

}  // namespace

class LocalSessions::Implementation : public std::enable_shared_from_this<Implementation> {
 public:
  Implementation(asio::io_context& context, fs::path file, Service& service)
      : acceptor_(context), file_(std::move(file)), service_(service) {
    if (connect_to_file(file_).is_open()) {
      throw Error(Stop::environment,
                  fmt::format("cannot listen on {}: another judge does; name another by --socket",
                              file_.string()));
    }
    std::error_code missing;
    if (fs::is_socket(fs::symlink_status(file_, missing))) fs::remove(file_, missing);
    error_code failed;
    failed = acceptor_.open(stream_protocol(), failed);
    try {
      if (!failed) failed = acceptor_.bind(stream_protocol::endpoint(file_.string()), failed);
    } catch (const boost::system::system_error& error) {
      failed = error.code();  // of a path that is too long
    }
    // Who may connect is who may enter the folder.
    if (!failed &&
        ::chmod(file_.c_str(), S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH) != 0)
      failed = error_code(errno, boost::system::system_category());
    if (!failed) failed = acceptor_.listen(asio::socket_base::max_listen_connections, failed);
    if (failed) {
      throw Error(Stop::environment,
                  fmt::format("cannot listen on {}: {}; name another socket by --socket",
                              file_.string(), failed.message()));
    }
  }

  // Where there is no room for another connection, asking again at once would only keep the
  // processor busy.
  void accept_after(const error_code& failed) {
    if (!failed) return accept();
    pause_.expires_after(kAfterFailure);
    pause_.async_wait([self = shared_from_this()](const error_code& cancelled) {
      if (!cancelled) self->accept();
    });
  }

  void accept() {
    acceptor_.async_accept([self = shared_from_this()](error_code failed,
                                                       stream_protocol::socket socket) {
      if (failed == asio::error::operation_aborted) return;
      const std::string client = failed ? std::string() : client_of(socket);
      if (auto seat = client.empty() ? nullptr : self->seats_->take(client)) {
        std::make_shared<LocalSession>(std::move(socket), client, self->service_, std::move(seat))
            ->start();
      }
      self->accept_after(failed);
    });
  }

  void close() {
    error_code ignored;
    pause_.cancel();
    ignored = acceptor_.close(ignored);
    std::error_code gone;
    fs::remove(file_, gone);
  }

 private:
  stream_protocol::acceptor acceptor_;
  asio::steady_timer pause_{acceptor_.get_executor()};
  fs::path file_;
  Service& service_;
  const std::shared_ptr<Seats> seats_ = std::make_shared<Seats>(service_.limits().connections);
};

LocalSessions::LocalSessions(asio::io_context& context, const fs::path& socket, Service& service)
    : implementation_(std::make_shared<Implementation>(context, socket, service)) {
  implementation_->accept();
}
LocalSessions::~LocalSessions() = default;
void LocalSessions::close() { implementation_->close(); }

}  // namespace autokernel::serve
