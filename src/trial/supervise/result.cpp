#include "autokernel/trial/result.h"

namespace autokernel::trial {

const char* spelling(Phase phase) {
  switch (phase) {
    case Phase::start:
      return "start";
    case Phase::queue:
      return "queue";
    case Phase::compile:
      return "compile";
    case Phase::check:
      return "check";
    case Phase::time:
      return "time";
    case Phase::harness:
      return "harness";
    case Phase::confirm:
      return "apart";
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
    case Verdict::unsupported:
      return "unsupported";
  }
  return "unknown";
}

const char* spelling(Cause cause) {
  switch (cause) {
    case Cause::unknown:
      return "unknown";
    case Cause::out_of_bounds:
      return "out_of_bounds";
    case Cause::out_of_shared:
      return "out_of_shared";
    case Cause::out_of_local:
      return "out_of_local";
    case Cause::null_pointer:
      return "null_pointer";
    case Cause::misaligned:
      return "misaligned";
    case Cause::trap:
      return "trap";
    case Cause::assertion:
      return "assertion";
    case Cause::barrier:
      return "barrier";
    case Cause::instruction:
      return "instruction";
    case Cause::bad_call:
      return "bad_call";
    case Cause::stack:
      return "stack";
    case Cause::input_changed:
      return "input_changed";
    case Cause::never_written:
      return "never_written";
    case Cause::race:
      return "race";
    case Cause::not_finite:
      return "not_finite";
  }
  return "unknown";
}

const char* spelling(Outcome outcome) {
  switch (outcome) {
    case Outcome::faster:
      return "faster";
    case Outcome::not_faster:
      return "not_faster";
    case Outcome::inconclusive:
      return "inconclusive";
  }
  return "unknown";
}

void make_inconclusive(PairedComparison& comparison, const std::string& why) {
  comparison.as_fast = false;
  if (comparison.outcome == Outcome::faster) comparison.outcome = Outcome::inconclusive;
  comparison.reason += "; " + why;
}

double least_gain(const DeviceReport& device) {
  constexpr double kOnAGpu = 0.005;
  constexpr double kEmulated = 0.02;
  return device.emulated ? kEmulated : kOnAGpu;
}

}  // namespace autokernel::trial
