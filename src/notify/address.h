// The address of a webhook: the few forms that are taken, so that nobody understands one otherwise
// than it is understood here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace autokernel::notify {

struct Address {
  bool is_https = true;
  std::string host;  // lower case; of IPv6 with its brackets
  int port = 443;
  std::string path;  // from the first slash on, with the query

  friend bool operator==(const Address&, const Address&) = default;
};

// Whether http will do, which everybody on the way can read and change.
enum class HttpTo : std::uint8_t { this_host, any_host };

// "https://HOST[:PORT]/PATH[?QUERY]" or the same with http, of printable ASCII characters, without
// a user's name or a fragment; none for any other text.
[[nodiscard]] std::optional<Address> address_of_text(const std::string& text);
[[nodiscard]] std::string text_of(const Address& address);

// Whether the host is this machine by its name: localhost, 127.x.x.x or [::1].
[[nodiscard]] bool is_loopback(const Address& address);

// Why a text cannot be the address of a target, and what to write, without the text; empty: it can.
[[nodiscard]] std::string why_no_address(const std::string& text, HttpTo http_to);

// Where a redirection of that address leads to, if that is the same host and the same port by the
// same protocol; none otherwise. `location` is an address, or a path that begins with one slash.
[[nodiscard]] std::optional<Address> redirected(const Address& from, const std::string& location);

}  // namespace autokernel::notify
