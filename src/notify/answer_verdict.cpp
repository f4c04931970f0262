#include "notify/answer_verdict.h"

#include <fmt/format.h>

namespace autokernel::notify {
namespace {

// Status codes of HTTP (RFC 9110).
constexpr int kOk = 200;
constexpr int kRedirections = 300;
constexpr int kTemporaryRedirect = 307;
constexpr int kPermanentRedirect = 308;
constexpr int kClientErrors = 400;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kGone = 410;
constexpr int kTooLarge = 413;
constexpr int kTooManyRequests = 429;
constexpr int kServerErrors = 500;

constexpr const char* kCheckNetwork =
    "check the network, and that https_proxy is set where a proxy is needed";

[[nodiscard]] AnswerVerdict verdict_of_fault(Fault fault) {
  switch (fault) {
    case Fault::timed_out:
      return {Outcome::may_pass, "timed out", kCheckNetwork};
    case Fault::no_host:
      return {Outcome::may_pass, "the host is unknown",
              std::string("check the address for a typing mistake; ") + kCheckNetwork};
    case Fault::no_connection:
      return {Outcome::may_pass, "no connection", kCheckNetwork};
    case Fault::not_trusted:
      return {Outcome::refused, "the certificate is not trusted",
              "check the clock and the certificates of this machine (Debian: apt-get install "
              "ca-certificates)"};
    case Fault::no_tls:
      return {Outcome::may_pass, "no TLS connection",
              "check that the address begins with the protocol that its server speaks"};
    case Fault::closed_early:
      return {Outcome::may_pass, "the connection was closed early", kCheckNetwork};
    case Fault::none:
    case Fault::other:
      break;
  }
  return {Outcome::may_pass, "the request failed", kCheckNetwork};
}

[[nodiscard]] std::string remedy_of_refusal(int status) {
  switch (status) {
    case kUnauthorized:
    case kForbidden:
    case kNotFound:
    case kGone:
      return "the address or the secret is not valid: copy it again, or make a new webhook";
    case kTooLarge:
      return "the service takes no such large message: set plot = false";
    default:
      return "the service does not take the message: check that 'kind' names it";
  }
}

}  // namespace

bool is_redirection(const Answer& answer) {
  return answer.fault == Fault::none &&
         (answer.status == kTemporaryRedirect || answer.status == kPermanentRedirect);
}

AnswerVerdict verdict_of(const Answer& answer) {
  if (answer.fault != Fault::none) return verdict_of_fault(answer.fault);
  const int status = answer.status;
  if (status >= kOk && status < kRedirections) return {Outcome::sent, "sent", ""};
  if (status >= kServerErrors) {
    return {Outcome::may_pass, fmt::format("failed: HTTP {}", status),
            "the service has a fault: try again later"};
  }
  if (status == kTooManyRequests) {
    return {Outcome::may_pass, fmt::format("refused: HTTP {}", status),
            "the service gets too many messages: choose fewer events"};
  }
  if (status >= kRedirections && status < kClientErrors) {
    return {Outcome::refused, fmt::format("refused: HTTP {}, a redirection", status),
            "write the address that the service has now"};
  }
  return {Outcome::refused, fmt::format("refused: HTTP {}", status), remedy_of_refusal(status)};
}

}  // namespace autokernel::notify
