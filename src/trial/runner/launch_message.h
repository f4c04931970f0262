// What a runner and its launcher say to each other, as lines of JSON: orders down, reports up. The
// launcher is the process in which the candidate's code runs, and nothing that it says is trusted:
// it is told what to launch on which key, and never a tolerance, a reference or a verdict.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "autokernel/compile/front_end.h"
#include "autokernel/trial/message.h"
#include "trial/launch/rejection.h"
#include "trial/time/stopwatch.h"

namespace autokernel::trial {

// The first order, as soon as the launcher has started: open the driver and the compiler.
struct Preparation {
  DeviceChoice device;
  bool cached = true;  // whether compiles may be taken from the compile cache
};

// The task, once the device is ours: compile, launch what is to be checked, then what is timed.
struct LaunchTask {
  cases::Case problem;      // blinded(): what it takes to make inputs and buffers
  std::string kernel_name;  // "kernel.cu", for messages
  std::string source;
  std::map<std::string, std::string> files;    // Request::files
  std::optional<Incumbent> incumbent;          // its min_gain is always set
  std::map<std::string, std::string> headers;  // Request::headers
  std::vector<std::string> kernel_headers;
  std::vector<std::string> flags;  // of the compiler, for kernel and incumbent
  // Where they are not in CUDA C++.
  std::optional<compile::ExternalCompiler> compiler;
  std::optional<compile::ExternalCompiler> incumbent_compiler;
  std::string architecture;
  std::string check_size;
  std::string timed_size;
  std::vector<std::string> further_sizes;  // at which it is checked, too
  Depth depth = Depth::usual;
  bool checked = true;
  bool confined = true;
  bool times_only = false;  // of the kernel: none of a library, no figures beside
  int samples = 0;
  std::optional<double> recording_seconds;
  std::optional<double> open_seconds;
  bool keeps_outputs_on_device = false;  // where memory of the device can be shared
};

// Before it, any number of times: what it is expected to be. Open the device, and compile.
struct ExpectedTask {
  LaunchTask task;
};

// Whether a library's product is timed beside the kernel.
[[nodiscard]] bool times_library(const LaunchTask& task);

// Answers to reports.
struct KeyAnswer {
  std::string key;  // 16 hexadecimal digits
};
struct SampleAnswer {
  bool counts = true;
};
struct GoOn {
  // When the device was last at work, and had been for long enough, for another process; by the
  // clock that all processes of a machine have (Timeline). None: it is not known to have been.
  std::optional<double> device_worked_at = {};
  bool takes_outputs_on_device = false;  // from the memory that Compiled names
};

using Order = std::variant<Preparation, ExpectedTask, LaunchTask, KeyAnswer, SampleAnswer, GoOn>;

// The launcher has a context on the device: whoever needs another makes it now, as two that are
// made at once take longer each.
struct Opened {};
// What was compiled, for the record.
struct Compiled {
  ResourceReport resources;
  std::vector<std::string> warnings;
  std::string log;
  std::string nvrtc;        // its version
  std::string outbox = {};  // the name of device memory for outputs; empty where there is none
};
// The next launch needs inputs: answered by a KeyAnswer.
struct KeyRequest {
  std::string launch;  // "timed launch 3"
};
// The outputs of a launch on the last key lie in the outbox: answered by GoOn once they have been
// copied.
struct Delivered {
  std::string launch;
  std::string size;
  InputKind input_kind = InputKind::declared;
};
// A launch that is timed is over: the device may be looked at. Not answered.
struct LaunchOver {};
// The time of that launch is known, and its outputs are delivered: answered by a SampleAnswer.
struct SampleTaken {
  bool repeatable = true;
};
// No candidate is loaded, so that what was delivered can be judged: answered by GoOn once it has.
struct BatchDone {};
// Everything to be checked has been delivered, and the candidate is unloaded: answered by GoOn.
struct ChecksDone {};

// The last one is Timed, Rejection or Failure.
using Report =
    std::variant<Phase, Code, Whereabouts, Opened, Compiled, KeyRequest, Delivered, LaunchOver,
                 SampleTaken, BatchDone, ChecksDone, Timed, Rejection, Failure>;

// One line each, ending in a newline.
[[nodiscard]] std::string encode(const Order& order);
[[nodiscard]] std::string encode(const Report& report);
// Of complete lines. Throw Error(internal) saying what is wrong.
[[nodiscard]] Order decode_order(const std::string& line);
[[nodiscard]] Report decode_report(const std::string& line);

// The case without what only a judge needs: tolerances, the files of references, formulas of cost.
[[nodiscard]] cases::Case blinded(const cases::Case& problem);

}  // namespace autokernel::trial
