// What an answer means for the message: taken, refused for good, or to be tried again.
#pragma once

#include <cstdint>
#include <string>

#include "notify/transport.h"

namespace autokernel::notify {

enum class Outcome : std::uint8_t { sent, refused, may_pass };

struct AnswerVerdict {
  Outcome outcome = Outcome::refused;
  std::string status;  // "sent", "refused: HTTP 403", "timed out"
  std::string remedy;  // what to do, in a sentence; empty where it was sent
};

// Redirections are refused: what may be followed has been followed.
[[nodiscard]] AnswerVerdict verdict_of(const Answer& answer);

// Whether it redirects a request that is to be made again as it is (307, 308).
[[nodiscard]] bool is_redirection(const Answer& answer);

}  // namespace autokernel::notify
