// One request and its answer, over whatever carries it: a test has one that answers from memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "notify/address.h"
#include "notify/http_message.h"

namespace autokernel::notify {

// Why there is no answer.
enum class Fault : std::uint8_t {
  none,
  timed_out,
  no_host,  // its name stands for no address
  no_connection,
  no_tls,        // the server speaks another protocol, or no version that we have
  not_trusted,   // TLS: not the host that it should be
  closed_early,  // before there was a status
  other
};

struct Answer {
  Fault fault = Fault::none;
  int status = 0;                // of HTTP; 0: there is none
  std::string location = {};     // of a redirection
  std::string retry_after = {};  // as the service wrote it
};

class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  Transport(Transport&&) = delete;
  Transport& operator=(Transport&&) = delete;
  virtual ~Transport() = default;

  // Sends it, waits at most so long, and follows no redirection. Throws Error(environment) where
  // there is no memory for it, or the library cannot be used.
  [[nodiscard]] virtual Answer send(const Address& address, const HttpMessage& message,
                                    std::chrono::milliseconds patience) = 0;
};

// By libcurl. Throws Error(environment) where there is none.
[[nodiscard]] std::unique_ptr<Transport> curl_transport();

}  // namespace autokernel::notify
