// What a supervisor and the resident process say to each other, as lines of JSON: what is wanted
// one way, what there is the other.
#pragma once

#include <string>
#include <variant>

#include "autokernel/base/environment.h"
#include "autokernel/base/process.h"
#include "autokernel/trial/result.h"

namespace autokernel::trial {

// How a runner is started, and what it gets ready for.
struct RunnerRecipe {
  Variables variables;    // all it has, but for its temporary folder
  std::string directory;  // it works in
  Request expected;
};
// Of all that must be as it was for a runner to be of use to another trial: not of the candidate,
// the incumbent, and what else a runner learns when its trial begins.
[[nodiscard]] std::string digest_of(const RunnerRecipe& recipe);

// Have one ready: answered by Noted, at once. Until then whoever asks must be there to be looked
// at.
struct GetReady {
  RunnerRecipe recipe;
  int stay_seconds = 0;  // how long it, and who keeps it, stay where nobody asks for more
};
// One that is ready, for this trial: answered by Lent or NoneReady. Whoever has one hangs up when
// the trial is over.
struct Wanted {
  std::string digest;
};
// The one that was lent is to end, at once or within so many milliseconds: answered by Ended.
struct Over {
  int patience_ms = 0;
};
using Ask = std::variant<GetReady, Wanted, Over>;

// It comes with the supervisor's ends of its input, output and messages.
struct Lent {
  int process = 0;
};
struct NoneReady {};
struct Noted {};
struct Ended {
  int code = 0;
  int signal = 0;
};
using Answer = std::variant<Lent, NoneReady, Noted, Ended>;

// One line each, ending in a newline. Lines of another version, and damaged ones, throw
// Error(internal).
[[nodiscard]] std::string encode(const Ask& ask);
[[nodiscard]] std::string encode(const Answer& answer);
[[nodiscard]] Ask decode_ask(const std::string& line);
[[nodiscard]] Answer decode_answer(const std::string& line);

}  // namespace autokernel::trial
