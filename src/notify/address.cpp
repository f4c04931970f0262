#include "notify/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>

#include "autokernel/base/number.h"

namespace autokernel::notify {
namespace {

// Longer than the address of any service, and short enough for any server.
constexpr std::size_t kLongestAddress = 2048;
constexpr int kHttpPort = 80;
constexpr int kHttpsPort = 443;
constexpr int kLastPort = 65535;

[[nodiscard]] bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Decimal digits alone.
[[nodiscard]] std::optional<int> small_number(std::string_view text, int most) {
  int value = 0;
  if (!std::ranges::all_of(text, is_digit) || !read_number(text, value) || value > most) return {};
  return value;
}

[[nodiscard]] bool is_name(std::string_view host) {
  return !host.empty() && host.front() != '.' && host.front() != '-' &&
         std::ranges::all_of(host, [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'z') || c == '.' || c == '-';
         });
}

[[nodiscard]] bool is_bracketed(std::string_view host) {
  return host.size() > 2 && host.starts_with('[') && host.ends_with(']') &&
         std::ranges::all_of(host.substr(1, host.size() - 2), [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'f') || c == ':' || c == '.';
         });
}

[[nodiscard]] std::string lower_case(std::string_view text) {
  std::string lower;
  for (const char c : text) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return lower;
}

// What could end a path, or stand for something else than itself.
[[nodiscard]] bool is_plain(std::string_view text) {
  constexpr std::string_view kOdd = "\\\"<>^`{|}#";
  return std::ranges::all_of(text, [&](char c) {
    return c > ' ' && c < '\x7f' && kOdd.find(c) == std::string_view::npos;
  });
}

// "127.0.0.1" and its like, all four numbers written out.
[[nodiscard]] bool is_dotted_loopback(std::string_view host) {
  if (!host.starts_with("127.")) return false;
  int parts = 0;
  while (true) {
    const std::size_t dot = std::min(host.find('.'), host.size());
    constexpr int kMostOfByte = 255;
    if (!small_number(host.substr(0, dot), kMostOfByte)) return false;
    ++parts;
    if (dot == host.size()) return parts == 4;
    host.remove_prefix(dot + 1);
  }
}

}  // namespace

std::optional<Address> address_of_text(const std::string& text) {
  if (text.size() > kLongestAddress || !is_plain(text)) return {};
  const std::size_t colons = text.find("://");
  if (colons == std::string::npos) return {};
  const std::string scheme = lower_case(std::string_view(text).substr(0, colons));
  if (scheme != "https" && scheme != "http") return {};
  Address address;
  address.is_https = scheme == "https";
  address.port = address.is_https ? kHttpsPort : kHttpPort;
  std::string_view rest = std::string_view(text).substr(scheme.size() + 3);
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  address.path = std::string(rest.substr(end));
  if (!address.path.starts_with('/')) address.path.insert(0, "/");
  rest = rest.substr(0, end);
  const std::size_t colon = rest.find(':', rest.starts_with('[') ? rest.find(']') : 0);
  if (colon < rest.size()) {
    const auto port = small_number(rest.substr(colon + 1), kLastPort);
    if (!port || *port == 0) return {};
    address.port = *port;
    rest = rest.substr(0, colon);
  }
  address.host = lower_case(rest);
  if (!is_name(address.host) && !is_bracketed(address.host)) return {};
  return address;
}

std::string text_of(const Address& address) {
  const bool is_usual = address.port == (address.is_https ? kHttpsPort : kHttpPort);
  return fmt::format("{}://{}{}{}", address.is_https ? "https" : "http", address.host,
                     is_usual ? "" : fmt::format(":{}", address.port), address.path);
}

bool is_loopback(const Address& address) {
  return address.host == "localhost" || address.host == "[::1]" || is_dotted_loopback(address.host);
}

std::string why_no_address(const std::string& text, HttpTo http_to) {
  const auto address = address_of_text(text);
  if (!address) {
    return "it is no address that can be used: write https://HOST/PATH, as the service shows it";
  }
  if (!address->is_https && http_to == HttpTo::this_host && !is_loopback(*address)) {
    return "its address begins with http: others could read it; write https, or for a host of your "
           "own network allow_http = true in the file";
  }
  return {};
}

std::optional<Address> redirected(const Address& from, const std::string& location) {
  if (location.starts_with("/") && !location.starts_with("//")) {
    if (location.size() > kLongestAddress || !is_plain(location)) return {};
    Address to = from;
    to.path = location;
    return to;
  }
  const auto to = address_of_text(location);
  const bool is_same =
      to && to->is_https == from.is_https && to->host == from.host && to->port == from.port;
  return is_same ? to : std::nullopt;
}

}  // namespace autokernel::notify
