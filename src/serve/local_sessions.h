// Clients of this machine, by a Unix socket: `--device judge` of bench, compare and the loop. They
// speak in lines (trial/order.h), and are told how their trial goes on. The system says who they
// are.
#pragma once

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <memory>

#include "serve/service.h"

namespace autokernel::serve {

class LocalSessions {
 public:
  // Listens; everyone who may enter the folder may connect. A socket that nobody listens on any
  // more is replaced. Throws Error(environment), also where another judge has the socket.
  LocalSessions(boost::asio::io_context& context, const std::filesystem::path& socket,
                Service& service);
  ~LocalSessions();

  // Nobody is let in any more.
  void close();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace autokernel::serve
