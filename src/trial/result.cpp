#include "autokernel/trial/result.h"

namespace autokernel::trial {

const char* spelling(Phase phase) {
  switch (phase) {
    case Phase::start:
      return "start";
    case Phase::compile:
      return "compile";
    case Phase::check:
      return "check";
    case Phase::time:
      return "time";
  }
  return "unknown";
}

const char* spelling(Verdict verdict) {
  switch (verdict) {
    case Verdict::correct:
      return "correct";
    case Verdict::incorrect:
      return "incorrect";
    case Verdict::does_not_compile:
      return "does_not_compile";
    case Verdict::timed_out:
      return "timed_out";
    case Verdict::crashed:
      return "crashed";
  }
  return "unknown";
}

}  // namespace autokernel::trial
