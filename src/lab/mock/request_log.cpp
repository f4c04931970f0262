#include "lab/mock/request_log.h"

#include <fmt/format.h>

#include <iterator>

#include "autokernel/base/error.h"
#include "autokernel/base/system_error.h"

namespace autokernel::lab {
namespace {

// To write as much takes some 50 us; a megabyte at once would make tokens 2 ms late.
constexpr std::size_t kLargestLogBuffer = 64U << 10;

[[nodiscard]] double clock_seconds(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

}  // namespace

RequestLog::RequestLog(const std::filesystem::path& file)
    : path_(file), file_(file, std::ios::binary | std::ios::trunc) {
  if (!file_) {
    throw system_failure(Stop::usage, "cannot write the log " + path_.string(), "open");
  }
}

// {"id": "chatcmpl-1", "arrival": 12.000001, "start": 12.000001, "tokens": [12.2, 12.22],
//  "prompt_tokens": 4, "completion_tokens": 2, "fault": null, "ended": "finished"}
// Times are seconds of CLOCK_MONOTONIC, to the microsecond.
void RequestLog::add(const LoggedAnswer& answer) {
  if (!is_kept()) return;
  auto out = std::back_inserter(buffer_);
  fmt::format_to(out, R"({{"id":"{}","arrival":{:.6f},"start":{:.6f},"tokens":[)", answer.id,
                 clock_seconds(answer.arrival), clock_seconds(answer.start));
  const char* separator = "";
  for (const auto time : answer.handed_over) {
    fmt::format_to(out, "{}{:.6f}", separator, clock_seconds(time));
    separator = ",";
  }
  fmt::format_to(out, R"(],"prompt_tokens":{},"completion_tokens":{},"fault":{},"ended":"{}"}})",
                 answer.usage.prompt_tokens, answer.usage.completion_tokens,
                 answer.fault.empty() ? "null" : "\"" + answer.fault + "\"", answer.ended);
  buffer_ += '\n';
  if (buffer_.size() > kLargestLogBuffer) flush();
}

void RequestLog::flush() {
  if (!is_kept() || buffer_.empty()) return;
  file_ << buffer_ << std::flush;
  buffer_.clear();
  if (!file_) {
    throw system_failure(Stop::environment, "cannot write the log " + path_.string(), "write");
  }
}

}  // namespace autokernel::lab
