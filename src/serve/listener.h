// A listening socket: each connection is given a seat, where its client has one left, and handed
// on.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "serve/seats.h"

namespace autokernel::serve {

// By shared_ptr: what waits keeps it.
template <typename Protocol>
class Listener : public std::enable_shared_from_this<Listener<Protocol>> {
 public:
  using Socket = typename Protocol::socket;

  Listener(boost::asio::io_context& context, std::size_t connections)
      : acceptor_(context), seats_(std::make_shared<Seats>(connections)) {}

  // Opened, bound and listening by whoever knows the address.
  [[nodiscard]] typename Protocol::acceptor& acceptor() { return acceptor_; }

  [[nodiscard]] const std::shared_ptr<Seats>& seats() const { return seats_; }

  // `client`: who it is, empty for a connection that nobody is known of. `begin` has the socket and
  // its seat.
  using Client = std::function<std::string(Socket&)>;
  using Begin = std::function<void(Socket, const std::string& client, std::shared_ptr<void> seat)>;
  void accept(Client client, Begin begin) {
    client_ = std::move(client);
    begin_ = std::move(begin);
    next();
  }

  void close() {
    boost::system::error_code ignored;
    pause_.cancel();
    ignored = acceptor_.close(ignored);
  }

 private:
  void next() {
    acceptor_.async_accept(
        [self = this->shared_from_this()](boost::system::error_code failed, Socket socket) {
          if (failed == boost::asio::error::operation_aborted) return;
          const std::string client = failed ? std::string() : self->client_(socket);
          if (auto seat = client.empty() ? nullptr : self->seats_->take(client))
            self->begin_(std::move(socket), client, std::move(seat));
          failed ? self->pause() : self->next();
        });
  }
  // Where there is no room for another connection, asking again at once would only keep the
  // processor busy.
  void pause() {
    constexpr std::chrono::milliseconds kAfterFailure{200};
    pause_.expires_after(kAfterFailure);
    pause_.async_wait(
        [self = this->shared_from_this()](const boost::system::error_code& cancelled) {
          if (!cancelled) self->next();
        });
  }

  typename Protocol::acceptor acceptor_;
  boost::asio::steady_timer pause_{acceptor_.get_executor()};
  std::shared_ptr<Seats> seats_;
  Client client_;
  Begin begin_;
};

}  // namespace autokernel::serve
