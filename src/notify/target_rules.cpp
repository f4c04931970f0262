#include "notify/target_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "notify/address.h"

namespace autokernel::notify {
namespace {

// Of a key for HMAC-SHA256: of fewer characters all can be tried.
constexpr std::size_t kShortestKey = 16;

[[nodiscard]] std::string listed_words(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_last = i + 1 == words.size();
    text += (i == 0 ? "" : is_last ? " or " : ", ") + words[i];
  }
  return text;
}

// No longer than any header may be.
constexpr std::size_t kLongestSecret = 1024;

// As it may stand in a header of a request; with `least` '!' without blanks.
[[nodiscard]] bool is_printable_ascii(const std::string& text, char least) {
  return text.size() <= kLongestSecret &&
         std::ranges::all_of(text, [least](char c) { return c >= least && c < '\x7f'; });
}

}  // namespace

std::string label_of(const std::string& name, Kind kind, std::size_t number) {
  return name.empty() ? fmt::format("{} (target {})", represent(kind), number)
                      : fmt::format("{} ({}, target {})", name, represent(kind), number);
}

std::set<EventKind> all_run_events() { return {kRunEvents.begin(), kRunEvents.end()}; }

std::string allowed_kinds() { return listed_words(kind_words()); }

std::string allowed_events() { return listed_words(run_event_words()); }

std::string fault_of_url(const Target& target) {
  return why_no_address(target.url.reveal(),
                        target.allow_http ? HttpTo::any_host : HttpTo::this_host);
}

std::string fault_of_secret(const Target& target) {
  const std::string& secret = target.secret.reveal();
  switch (target.kind) {
    case Kind::discord:
    case Kind::slack:
      return secret.empty()
                 ? ""
                 : represent(target.kind) + " takes no secret: its address is one; leave it out";
    case Kind::ntfy:
      return is_printable_ascii(secret, '!')
                 ? ""
                 : "an access token of ntfy has no blanks and no other than ASCII characters";
    case Kind::json:
      if (secret.size() >= kShortestKey && is_printable_ascii(secret, ' ')) return {};
      return fmt::format(
          "json needs a secret of at least {} ASCII characters, which signs each message",
          kShortestKey);
  }
  return {};
}

}  // namespace autokernel::notify
