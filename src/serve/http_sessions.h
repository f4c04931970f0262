// The HTTP interface's sockets. TLS is a proxy's business.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "serve/http_api.h"

namespace autokernel::serve {

class HttpSessions {
 public:
  // Listens on "HOST:PORT"; port 0 is any that is free. Throws Error(usage) for what is no address,
  // and Error(environment) where it is taken.
  HttpSessions(boost::asio::io_context& context, const std::string& address, HttpApi& api,
               const ClientLimits& limits);
  ~HttpSessions();

  [[nodiscard]] std::string url() const;
  // Nobody is let in any more; who waits for an answer gets it.
  void close();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace autokernel::serve
