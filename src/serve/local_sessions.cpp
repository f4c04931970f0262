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
#include "serve/listener.h"

namespace autokernel::serve {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using asio::local::stream_protocol;
using boost::system::error_code;
using std::chrono::seconds;

// A client that was cut off comes back within this, or its trial is not wanted any more.
constexpr seconds kToComeBack{15};
// Of a client that does not read: then it is cut off.
constexpr std::size_t kMostUnsent = std::size_t{32} << 20U;
// A line of some megabytes from a busy machine.
constexpr seconds kToSend{60};
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
                              if (!self->unread_.set(self->lines_.unfinished()))
                                return self->close();
                              self->expect_the_rest();
                              self->take_lines();
                              if (self->lines_.unfinished() > kLargestLine) return self->close();
                              if (self->socket_.is_open() && !self->is_at_its_end_) self->read();
                            });
  }

  // A line that was begun comes to its end, or makes room.
  void expect_the_rest() {
    const bool is_begun = lines_.unfinished() > 0;
    if (is_begun == is_begun_) return;
    is_begun_ = is_begun;
    if (!is_begun) {
      patience_.cancel();
      return;
    }
    patience_.expires_after(kToSend);
    patience_.async_wait([weak = weak_from_this()](error_code failed) {
      const auto self = weak.lock();
      if (!failed && self) self->close();
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
    static_cast<void>(unread_.set(0));
    patience_.cancel();
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
  UnreadBytes::Share unread_{service_.unread, client_};
  asio::steady_timer patience_{socket_.get_executor()};
  bool is_begun_ = false;       // a line, that has not ended
  bool is_at_its_end_ = false;  // once all is sent
};

[[nodiscard]] std::string client_of(stream_protocol::socket& socket) {
  const auto peer = peer_of(socket.native_handle());
  return peer ? fmt::format("uid {}", peer->user) : std::string();
}

void listen_on(const fs::path& file, stream_protocol::acceptor& acceptor) {
  if (connect_to_file(file).is_open()) {
    throw Error(Stop::environment,
                fmt::format("cannot listen on {}: another judge does; name another by --socket",
                            file.string()));
  }
  std::error_code missing;
  if (fs::is_socket(fs::symlink_status(file, missing))) fs::remove(file, missing);
  error_code failed;
  failed = acceptor.open(stream_protocol(), failed);
  try {
    if (!failed) failed = acceptor.bind(stream_protocol::endpoint(file.string()), failed);
  } catch (const boost::system::system_error& error) {
    failed = error.code();  // of a path that is too long
  }
  // Who may connect is who may enter the folder.
  if (!failed &&
      ::chmod(file.c_str(), S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH) != 0)
    failed = error_code(errno, boost::system::system_category());
  if (!failed) failed = acceptor.listen(asio::socket_base::max_listen_connections, failed);
  if (failed) {
    throw Error(Stop::environment,
                fmt::format("cannot listen on {}: {}; name another socket by --socket",
                            file.string(), failed.message()));
  }
}

}  // namespace

struct LocalSessions::Implementation {
  std::shared_ptr<Listener<stream_protocol>> listener;
  fs::path file;
};

LocalSessions::LocalSessions(asio::io_context& context, const fs::path& socket, Service& service)
    : implementation_(std::make_unique<Implementation>(Implementation{
          .listener =
              std::make_shared<Listener<stream_protocol>>(context, service.limits().connections),
          .file = socket})) {
  listen_on(socket, implementation_->listener->acceptor());
  implementation_->listener->accept(
      client_of, [&service](stream_protocol::socket connection, const std::string& client,
                            std::shared_ptr<void> seat) {
        std::make_shared<LocalSession>(std::move(connection), client, service, std::move(seat))
            ->start();
      });
}
LocalSessions::~LocalSessions() = default;
void LocalSessions::close() {
  implementation_->listener->close();
  std::error_code gone;
  fs::remove(implementation_->file, gone);
}

}  // namespace autokernel::serve
