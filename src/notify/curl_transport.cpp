#include <algorithm>
#include <charconv>
#include <string_view>

#include "autokernel/http/curl_library.h"
#include "notify/transport.h"

namespace autokernel::notify {
namespace {

using http::CurlCallback;
using http::CurlEasy;
using http::CurlLibrary;
using http::CurlList;
using http::CurlLong;
using http::CurlPointer;
using http::CurlSize;
using http::CurlText;

// Of an answer's body nothing is used; who sends more than this is not listened to any longer.
constexpr std::size_t kMostOfBody = 4096;
// Of a header line; an address may be as long as this.
constexpr std::size_t kLongestHeaderLine = 4096;
constexpr long kVerifyHostName = 2;  // CURLOPT_SSL_VERIFYHOST: 1 would be an error

// What comes in while a request runs.
struct Incoming {
  Answer answer;
  std::size_t bytes = 0;
};

[[nodiscard]] bool equal_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

[[nodiscard]] std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

void take_header_line(std::string_view line, Answer& answer) {
  if (line.starts_with("HTTP/")) {  // of one answer after another: 100 comes before the real one
    answer = {};
    const std::string_view rest = trimmed(line.substr(std::min(line.find(' '), line.size())));
    std::from_chars(rest.data(), rest.data() + rest.size(), answer.status);
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || line.size() > kLongestHeaderLine) return;
  const std::string_view name = line.substr(0, colon);
  const std::string value(trimmed(line.substr(colon + 1)));
  if (equal_but_for_case(name, "location")) answer.location = value;
  if (equal_but_for_case(name, "retry-after")) answer.retry_after = value;
}

// Called by C: no exception may leave them, and fewer bytes than given end the transfer.
std::size_t hear_header(char* bytes, std::size_t one, std::size_t count, void* data) {
  try {
    take_header_line({bytes, one * count}, static_cast<Incoming*>(data)->answer);
    return one * count;
  } catch (...) {
    return 0;
  }
}

std::size_t hear_body(char* /*bytes*/, std::size_t one, std::size_t count, void* data) {
  auto& incoming = *static_cast<Incoming*>(data);
  incoming.bytes += one * count;
  return incoming.bytes > kMostOfBody ? 0 : one * count;
}

[[nodiscard]] Fault fault_of(http::CurlCode code) {
  switch (code) {
    case http::kCurlOk:
      return Fault::none;
    case http::kCurlTimedOut:
      return Fault::timed_out;
    case http::kCurlNoHost:
    case http::kCurlNoProxy:
      return Fault::no_host;
    case http::kCurlNoConnection:
      return Fault::no_connection;
    case http::kCurlTlsConnectError:
      return Fault::no_tls;
    case http::kCurlPeerNotVerified:
      return Fault::not_trusted;
    case http::kCurlGotNothing:
    case http::kCurlPartialFile:
    case http::kCurlSendError:
    case http::kCurlReceiveError:
      return Fault::closed_early;
    default:
      return Fault::other;
  }
}

class CurlTransport : public Transport {
 public:
  explicit CurlTransport(const CurlLibrary& curl) : curl_(curl) {}

  [[nodiscard]] Answer send(const Address& address, const HttpMessage& message,
                            std::chrono::milliseconds patience) override {
    const Owned<CurlEasy*> owned = curl_.make_easy();
    CurlEasy* const easy = owned.get();
    Incoming incoming;
    const Owned<CurlList*> headers = header_lines(message);
    set_address(easy, address);
    set_bounds(easy, patience);
    curl_.set(easy, CurlPointer::http_header, headers.get());
    curl_.set(easy, CurlSize::post_field_size, static_cast<std::int64_t>(message.body.size()));
    curl_.set(easy, CurlText::post_fields, message.body.c_str());
    curl_.set(easy, CurlText::custom_request, message.method.c_str());
    curl_.set(easy, CurlCallback::header, &hear_header);
    curl_.set(easy, CurlPointer::header_data, &incoming);
    curl_.set(easy, CurlCallback::write, &hear_body);
    curl_.set(easy, CurlPointer::write_data, &incoming);
    // libcurl's own words would name the host.
    const http::CurlCode code = curl_.easy_perform(easy);
    // The status says all, even where the rest was cut off, by us or by them.
    constexpr int kFirstFinalStatus = 200;
    if (incoming.answer.status >= kFirstFinalStatus) return incoming.answer;
    return {.fault = code == http::kCurlOk ? Fault::closed_early : fault_of(code)};
  }

 private:
  [[nodiscard]] Owned<CurlList*> header_lines(const HttpMessage& message) const {
    Owned<CurlList*> lines;
    // Without it, a large body would wait a second for a permission that few servers send.
    curl_.append(lines, "Expect:");
    for (const auto& [name, value] : message.headers) {
      // An empty value would otherwise remove the header.
      curl_.append(lines, value.empty() ? name + ";" : std::string(name).append(": ") + value);
    }
    return lines;
  }

  void set_address(CurlEasy* easy, const Address& address) const {
    // By https or http, whatever else this libcurl speaks: an Address has no other.
    curl_.set(easy, CurlText::url, text_of(address).c_str());
    curl_.set(easy, CurlText::user_agent, "autokernel");
    // A proxy is on another machine, which is to see nothing that is meant for this one.
    if (is_loopback(address)) curl_.set(easy, CurlText::proxy, "");
  }

  void set_bounds(CurlEasy* easy, std::chrono::milliseconds patience) const {
    curl_.set(
        easy, CurlLong::timeout_ms,
        static_cast<long>(std::max<std::int64_t>(patience.count(), 1)));  // 0 would be for ever
    curl_.set(easy, CurlLong::no_signal, 1);
    curl_.set(easy, CurlLong::follow_location, 0);
    curl_.set(easy, CurlLong::ssl_verify_peer, 1);
    curl_.set(easy, CurlLong::ssl_verify_host, kVerifyHostName);
    curl_.set(easy, CurlLong::http_version, http::kCurlHttp11);
  }

  CurlLibrary curl_;
};

}  // namespace

std::unique_ptr<Transport> curl_transport() {
  return std::make_unique<CurlTransport>(CurlLibrary::open());
}

}  // namespace autokernel::notify
