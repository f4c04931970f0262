// libcurl as a table of functions found at run time: the program starts without it, and only what
// talks HTTP needs it. Declared by hand are the few entries, options and codes in use, so that
// nobody needs curl/curl.h to build; where that header is there, curl_library.cpp compares. Owners,
// requests and events are for those who use the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "autokernel/base/owned.h"

namespace autokernel::http {

// CURL and CURLM of curl.h.
struct CurlEasy;
struct CurlMulti;
// curl_slist: lines of a header, to be given back with slist_free_all.
struct CurlList;

// CURLcode, CURLMcode and CURLSHcode are plain numbers of which 0 is success.
using CurlCode = int;
inline constexpr CurlCode kCurlOk = 0;
inline constexpr CurlCode kCurlUnsupportedProtocol = 1;
inline constexpr CurlCode kCurlMalformedUrl = 3;
inline constexpr CurlCode kCurlNoProxy = 5;
inline constexpr CurlCode kCurlNoHost = 6;
inline constexpr CurlCode kCurlNoConnection = 7;
inline constexpr CurlCode kCurlWeirdServerReply = 8;
inline constexpr CurlCode kCurlPartialFile = 18;
inline constexpr CurlCode kCurlWriteError = 23;
inline constexpr CurlCode kCurlTimedOut = 28;
inline constexpr CurlCode kCurlTlsConnectError = 35;
inline constexpr CurlCode kCurlTooManyRedirects = 47;
inline constexpr CurlCode kCurlGotNothing = 52;
inline constexpr CurlCode kCurlSendError = 55;
inline constexpr CurlCode kCurlReceiveError = 56;
inline constexpr CurlCode kCurlPeerNotVerified = 60;

// CURLoption, by the type of its argument. A long is `long`, a size is curl_off_t: 64 bits.
enum class CurlLong : int {
  verbose = 41,
  no_progress = 43,
  fail_on_error = 45,
  upload = 46,
  post = 47,
  follow_location = 52,
  ssl_verify_peer = 64,
  http_get = 80,
  ssl_verify_host = 81,
  http_version = 84,
  buffer_size = 98,
  no_signal = 99,
  tcp_no_delay = 121,
  timeout_ms = 155,
  connect_timeout_ms = 156,
  tcp_keep_alive = 213,
};
enum class CurlText : int {
  proxy = 10004,
  post_fields = 10015,  // not copied: it must outlive the transfer
  user_agent = 10018,
  mail_from = 10186,
  user_name = 10173,
  password = 10174,
  custom_request = 10036,
  ca_info = 10065,
  url = 10002,
  unix_socket_path = 10231,
  protocols = 10318,  // libcurl 7.85 or later: "http,https"
};
enum class CurlPointer : int {
  write_data = 10001,
  read_data = 10009,
  error_buffer = 10010,  // kCurlErrorSize characters
  header_data = 10029,
  mail_recipients = 10187,  // a CurlList
  http_header = 10023,      // a CurlList
  private_data = 10103,
};
enum class CurlSize : int { post_field_size = 30120, in_file_size = 30115 };
// What is called with bytes of the answer, or of its header (one line at a time): data, 1, number
// of bytes, the pointer set as write_data or header_data. It returns how many it took: fewer end
// the transfer with kCurlWriteError. A read function fills the buffer, and returns 0 at the end.
using CurlBytes = std::size_t (*)(char* bytes, std::size_t one, std::size_t count, void* data);
enum class CurlCallback : int { write = 20011, read = 20012, header = 20079 };

inline constexpr std::size_t kCurlErrorSize = 256;
inline constexpr long kCurlHttp11 = 2;  // for http_version

// CURLINFO, by the type of its result.
enum class CurlInfoLong : int { response_code = 0x200002, connections_made = 0x20001a };
enum class CurlInfoPointer : int { private_data = 0x100015 };
// Microseconds since the transfer began.
enum class CurlInfoTime : int {
  total = 0x600032,
  name_looked_up = 0x600033,
  connected = 0x600034,
  before_transfer = 0x600035,
  first_byte = 0x600036,
};

// CURLMoption. `socket` and `timer` are the callbacks below.
enum class CurlMultiLong : int { most_kept_connections = 6 };
enum class CurlMultiPointer : int { socket_data = 10002, timer_data = 10005 };
enum class CurlMultiCallback : int { socket = 20001, timer = 20004 };
// What libcurl wants to know of a socket from now on: kCurlPoll*.
using CurlSocketCallback = int (*)(CurlEasy* easy, int socket, int what, void* data, void* own);
// When libcurl wants to be called next, in milliseconds; -1: no more.
using CurlTimerCallback = int (*)(CurlMulti* multi, long milliseconds, void* data);
inline constexpr int kCurlPollIn = 1;
inline constexpr int kCurlPollOut = 2;
inline constexpr int kCurlPollInOut = 3;
inline constexpr int kCurlPollRemove = 4;
// What happened to a socket; kCurlSocketTimeout in place of a socket: the timer.
inline constexpr int kCurlSelectIn = 1;
inline constexpr int kCurlSelectOut = 2;
inline constexpr int kCurlSelectError = 4;
inline constexpr int kCurlSocketTimeout = -1;

// CURLMsg: a transfer that has ended, with `message` kCurlDone. Valid until the next call.
inline constexpr int kCurlDone = 1;
struct CurlMessage {
  int message;
  CurlEasy* easy;
  union {
    void* pointer;
    CurlCode result;
  } data;
};

// The library, loaded and initialised. It stays until the process ends. Copies mean the same one.
struct CurlLibrary {
  // Throws Error(environment) where no libcurl can be loaded, or one without these functions. Must
  // be called for the first time while the process has a single thread: curl_global_init asks so.
  // `file` is a path or a name for the loader; empty: libcurl.so.4, else libcurl-gnutls.so.4.
  [[nodiscard]] static CurlLibrary open(const std::string& file = "");

  CurlCode (*global_init)(long flags) = nullptr;
  const char* (*version)() = nullptr;
  const char* (*easy_error)(CurlCode code) = nullptr;
  CurlEasy* (*easy_init)() = nullptr;
  void (*easy_cleanup)(CurlEasy* easy) = nullptr;
  void (*easy_reset)(CurlEasy* easy) = nullptr;
  CurlCode (*easy_perform)(CurlEasy* easy) = nullptr;
  CurlCode (*easy_setopt)(CurlEasy* easy, int option, ...) = nullptr;
  CurlCode (*easy_getinfo)(CurlEasy* easy, int info, ...) = nullptr;
  CurlList* (*slist_append)(CurlList* list, const char* line) = nullptr;
  void (*slist_free_all)(CurlList* list) = nullptr;
  CurlMulti* (*multi_init)() = nullptr;
  CurlCode (*multi_cleanup)(CurlMulti* multi) = nullptr;
  CurlCode (*multi_add_handle)(CurlMulti* multi, CurlEasy* easy) = nullptr;
  CurlCode (*multi_remove_handle)(CurlMulti* multi, CurlEasy* easy) = nullptr;
  CurlCode (*multi_setopt)(CurlMulti* multi, int option, ...) = nullptr;
  CurlCode (*multi_socket_action)(CurlMulti* multi, int socket, int events, int* running) = nullptr;
  CurlMessage* (*multi_info_read)(CurlMulti* multi, int* left) = nullptr;
  const char* (*multi_error)(CurlCode code) = nullptr;

  // Sets an option of a transfer. Throws Error(internal) for one that this libcurl refuses: it is
  // too old, or a value is not what the option takes.
  void set(CurlEasy* easy, CurlLong option, long value) const;
  void set(CurlEasy* easy, CurlText option, const char* value) const;
  void set(CurlEasy* easy, CurlPointer option, void* value) const;
  void set(CurlEasy* easy, CurlSize option, std::int64_t value) const;
  void set(CurlEasy* easy, CurlCallback option, CurlBytes value) const;
  void set(CurlMulti* multi, CurlMultiLong option, long value) const;
  void set(CurlMulti* multi, CurlMultiPointer option, void* value) const;
  void set(CurlMulti* multi, CurlSocketCallback value) const;
  void set(CurlMulti* multi, CurlTimerCallback value) const;

  // What is known of a transfer; 0 and null where libcurl does not tell.
  [[nodiscard]] long info(CurlEasy* easy, CurlInfoLong info) const;
  [[nodiscard]] void* info(CurlEasy* easy, CurlInfoPointer info) const;
  [[nodiscard]] std::int64_t info(CurlEasy* easy, CurlInfoTime info) const;

  // Owners. Throw Error(environment) where there is no memory for one.
  [[nodiscard]] Owned<CurlEasy*> make_easy() const;
  [[nodiscard]] Owned<CurlMulti*> make_multi() const;
  // Appends a line; `list` is the same as before where there is no memory, and Error is thrown.
  void append(Owned<CurlList*>& list, const std::string& line) const;
  // The library's words for a code; "error 7" where it has none.
  [[nodiscard]] std::string words(CurlCode code) const;
};

}  // namespace autokernel::http
