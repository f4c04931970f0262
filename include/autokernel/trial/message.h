// What supervisor and runner say to each other, as lines of JSON: one request down, before it what
// it is expected to be, then phases, an outline and at last one result or failure up. Lines, so
// that the runner can one day be at the other end of ssh or srun.
#pragma once

#include <string>
#include <variant>

#include "autokernel/base/error.h"
#include "autokernel/trial/result.h"

namespace autokernel::trial {

// A request that may come, or one like it: what it takes is to be got ready.
struct Expected {
  Request request;
};
using Errand = std::variant<Expected, Request>;

// The runner met an Error: a broken machine or a wrong request, not a bad kernel.
struct Failure {
  Stop stop = Stop::internal;
  std::string what;
  bool is_other_device = false;  // an OtherDevice
};

// What the runner knows before it touches the candidate: device and problem, and no verdict. It is
// what is reported of a candidate that takes the runner down with it.
struct Outline {
  Result known;
};

// The PTX that runs from now on; of a program compiled for two sizes, first the one, then the
// other.
struct Code {
  std::string ptx;  // bounded in size
};

// Where the warps of the kernel stand, in words; empty where the device does not say. The answer to
// a question that comes shortly before the runner is killed for taking too long.
struct Whereabouts {
  std::string text;
};

// What a runner says, in order: the phases as it enters them, an Outline and Code among them, then
// Result or Failure, then nothing.
using Event = std::variant<Phase, Outline, Code, Whereabouts, Result, Failure>;

// One line each, ending in a newline. Every value survives the way there and back: strings of any
// bytes (a source need not be UTF-8), infinities and not-a-numbers.
[[nodiscard]] std::string encode(const Request& request);
[[nodiscard]] std::string encode(const Expected& expected);
[[nodiscard]] std::string encode(const Event& event);

// The line must be complete, newline included, and of the version this program writes. Throws
// Error(internal) saying what is wrong with it.
[[nodiscard]] Request decode_request(const std::string& line);
[[nodiscard]] Errand decode_errand(const std::string& line);
[[nodiscard]] Event decode_event(const std::string& line);

}  // namespace autokernel::trial
