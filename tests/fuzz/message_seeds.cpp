#include "fuzz/message_seeds.h"

#include <limits>

#include "autokernel/trial/message.h"
#include "autokernel/trial/order.h"
#include "trial/runner/launch_message.h"
#include "trial/supervise/lending_message.h"

namespace autokernel::fuzz {
namespace {

using trial::Event;
using trial::Report;

trial::Request request() {
  trial::Request request;
  request.case_directory = "/somewhere/kernels";
  request.case_files = {{"case.toml", "name = 1\n"}};
  request.kernel_file = "/somewhere/kernels/kernel.cu";
  request.source = "__global__ void k() {}\n\xff\xfe";
  request.device = {driver::DeviceChoice::Kind::cuda, 3};
  request.architecture = "sm_80";
  request.size = "check";
  return request;
}

trial::Result result() {
  trial::Result result;
  result.verdict = trial::Verdict::incorrect;
  result.reason = "line one\nline two";
  result.warnings = {"C7510", "another"};
  result.device = trial::DeviceReport{.name = "NVIDIA H200", .major = 9, .minor = 1};
  result.times = trial::Times{.samples_us = {1.5, 0.1, 1e300}, .median_us = 2.5};
  result.reference = trial::Times{};
  result.warm_us = std::numeric_limits<double>::quiet_NaN();
  result.event_floor_us = -std::numeric_limits<double>::infinity();
  result.differences = trial::Differences{.max_abs = 10.5, .max_rel = 11.5};
  result.resources = trial::ResourceReport{.registers = 255};
  result.phase_seconds = {{"compile", 21.5}, {"check", 22.5}};
  result.keys = {{.launch = "timed launch 1", .key = "00ff"},
                 {.launch = "timed launch 2", .key = "ff00"}};
  result.versions = {{"nvrtc", "13.0"}};
  return result;
}

trial::Timed timed() {
  trial::Timed timed;
  timed.samples_us = {1.5, 0.1};
  timed.sampled_on = {trial::InputKind::exact, trial::InputKind::declared};
  timed.alone_us = {{1}, {2, 3}};
  timed.warm_us = 0.5;
  timed.host_row = trial::HostRow{200, 2, 7.5};
  return timed;
}

}  // namespace

std::vector<std::string> message_seeds() {
  return {trial::encode(request()),
          trial::encode(trial::Expected{request()}),
          trial::encode(trial::Ask(trial::GetReady{
              {.variables = {{"HOME", "/"}}, .directory = "/", .expected = request()}, 600})),
          trial::encode(trial::Ask(trial::Wanted{"a digest"})),
          trial::encode(trial::Ask(trial::Over{100})),
          trial::encode(trial::Answer(trial::Lent{4711})),
          trial::encode(trial::Answer(trial::Ended{.code = 3, .signal = 9})),
          trial::encode(trial::Request{}),
          trial::encode(trial::TrialOrder{.limits = {}, .request = request()}),
          trial::encode(trial::JudgeMessage(
              trial::JudgeOrder{.key = "0123456789abcdef",
                                .case_digest = "a digest",
                                .deadline_seconds = 1.5,
                                .order = {.limits = {}, .request = request()}})),
          trial::encode(trial::JudgeMessage(trial::JudgeCancel{})),
          trial::encode(Event{trial::Phase::compile}),
          trial::encode(Event{result()}),
          trial::encode(Event{trial::Result{}}),
          trial::encode(Event{trial::Failure{Stop::environment, "no such device"}}),
          trial::encode(Report{timed()}),
          trial::encode(Report{trial::KeyRequest{"timed launch 3"}}),
          trial::encode(Report{trial::Delivered{"timed launch 3", "default"}}),
          trial::encode(Report{trial::LaunchOver{}}),
          trial::encode(Report{trial::SampleTaken{}}),
          trial::encode(Report{trial::Compiled{{}, {"a warning"}, "a log", "13.0"}}),
          trial::encode(Report{
              trial::Rejection{trial::Verdict::crashed, "a trap", "it all", trial::Cause::trap}})};
}

}  // namespace autokernel::fuzz
