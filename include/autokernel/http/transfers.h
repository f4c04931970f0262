// Many HTTP requests to one address at once, on one thread: libcurl's multi interface with epoll.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/http/curl_library.h"

namespace autokernel::http {

using TransferTime = std::chrono::steady_clock::time_point;

// Where requests go, and what all of them have.
struct TransferTarget {
  std::string url;
  std::vector<std::string> header_lines = {};  // "Content-Type: application/json"
  std::chrono::milliseconds deadline{0};       // for a whole request; 0: none
};

enum class TransferEnding : std::uint8_t {
  complete,      // with whatever status
  refused,       // no connection could be made
  timed_out,     // past the deadline
  disconnected,  // the connection ended before the answer did
  broken_off,    // the listener wanted no more
  failed         // anything else
};

struct TransferEnd {
  TransferEnding ending = TransferEnding::failed;
  int status = 0;     // of HTTP; 0: none came
  std::string words;  // libcurl's, on what went wrong; empty: nothing
};

// Who is told of one request.
class TransferListener {
 public:
  TransferListener() = default;
  TransferListener(const TransferListener&) = delete;
  TransferListener& operator=(const TransferListener&) = delete;
  TransferListener(TransferListener&&) = delete;
  TransferListener& operator=(TransferListener&&) = delete;
  virtual ~TransferListener() = default;

  // A part of the body, as soon as it was read. False breaks the request off.
  [[nodiscard]] virtual bool on_bytes(int status, std::string_view bytes) = 0;
  // The last call. The listener may start other requests, and be destroyed after it.
  virtual void on_end(const TransferEnd& end) = 0;
};

// How long events had to wait for this program, at most: from when it could first have known of
// one to when it was handled.
struct HandlingDelay {
  std::uint64_t events = 0;
  std::uint64_t late_events = 0;  // by more than kLateHandling
  std::chrono::nanoseconds longest{0};
};
// Times to a token are told to a tenth of a millisecond, and are some tens of milliseconds long.
inline constexpr std::chrono::milliseconds kLateHandling{1};

class Transfers {
 public:
  // Connections are kept open for later requests, as many as there are at once. Throws
  // Error(environment).
  Transfers(const CurlLibrary& curl, TransferTarget target);
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;
  Transfers(Transfers&&) = delete;
  Transfers& operator=(Transfers&&) = delete;
  // Breaks off what is under way, without telling its listeners.
  ~Transfers();

  // Sends `body` by POST, or GET where there is none, and tells `listener`, which must live until
  // its on_end(). Throws Error(internal) for what libcurl refuses.
  void start(std::string body, TransferListener& listener);

  // wait() also comes back when this descriptor can be read from. Nothing is read from it.
  void wake_on(int descriptor);
  // Waits until something happens or `until` comes (none: without end), handles what there is, and
  // comes back. Throws Error(environment).
  void wait(std::optional<TransferTime> until);

  [[nodiscard]] std::size_t under_way() const;
  [[nodiscard]] const HandlingDelay& delay() const;
  void reset_delay();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace autokernel::http
