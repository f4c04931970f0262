// What a supervisor elsewhere is told, one line of JSON as the messages of message.h are.
#pragma once

#include <string>
#include <variant>

#include "autokernel/trial/result.h"

namespace autokernel::trial {

// What the program at the other end says first: "autokernel-relay 0.1.0 6f976a32", of which the
// last is the build's id, from the linker. Programs of one build speak one language.
[[nodiscard]] std::string relay_greeting();
[[nodiscard]] std::string judge_greeting();

// A trial to be supervised there, within these limits.
struct TrialOrder {
  Limits limits;
  Request request;
};

// For a JudgeOrder: a name that nobody else chooses, 32 hexadecimal digits at random.
[[nodiscard]] std::string fresh_order_key();

// A trial that a judge is asked for. It has the case itself, and takes of the request what is of
// the kernel and of how it is to be measured: no file of the case, no key.
struct JudgeOrder {
  std::string key;            // the client's own name for it: asked again, it is not made again
  std::string case_digest;    // digest_of_case() of what the client calls the case
  double deadline_seconds{};  // from now, until when it is of use
  TrialOrder order;
};
// The trial of the connection is not wanted any more.
struct JudgeCancel {};
using JudgeMessage = std::variant<JudgeOrder, JudgeCancel>;

// SHA-256 of the files of a case, names and bytes, and of its headers; not of its kernel.
[[nodiscard]] std::string digest_of_case(const Request& request);

[[nodiscard]] std::string encode(const TrialOrder& order);
[[nodiscard]] std::string encode(const JudgeMessage& message);
// They throw Error(internal) for a line that makes no sense.
[[nodiscard]] TrialOrder decode_trial_order(const std::string& line);
[[nodiscard]] JudgeMessage decode_judge_message(const std::string& line);

}  // namespace autokernel::trial
