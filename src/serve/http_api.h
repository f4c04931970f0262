// The HTTP interface of a judge: its own, below /v1, and that of FlashInfer-Bench's server
// (docs/judge.md). It knows no sockets.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "serve/http_reply.h"
#include "serve/service.h"
#include "serve/tokens.h"

namespace autokernel::serve {

class HttpApi {
 public:
  HttpApi(boost::asio::io_context& context, Service& service, const Tokens& tokens)
      : context_(context), service_(service), tokens_(tokens) {}

  // Whose token it is; empty: nobody's.
  [[nodiscard]] std::string holder(const std::string& token) const { return tokens_.holder(token); }
  [[nodiscard]] std::shared_ptr<UnreadBytes> unread() const { return service_.unread; }
  // Answers now, or within the request's own `timeout`.
  void answer(const HttpRequest& request, const Respond& respond);

 private:
  boost::asio::io_context& context_;
  Service& service_;
  const Tokens& tokens_;
};

// A refusal, as all of them are: {"detail": "..."}.
[[nodiscard]] HttpReply refused(int status, const std::string& what);

}  // namespace autokernel::serve
