// Load on a server of the OpenAI HTTP interface, and what became of each request. Figures over all
// of them are load_figures.h's.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/http/curl_library.h"
#include "autokernel/lab/lengths.h"

namespace autokernel::lab {

struct LoadSettings {
  std::string url;  // of the server: what is before /v1
  bool is_chat = true;
  std::string model;
  bool is_streamed = true;
  bool ignores_end = false;  // asks for answers of full length: vLLM's and SGLang's ignore_eos
  std::string api_key;       // empty: none is sent

  // One of the two: a closed loop has so many requests under way at any time, an open loop starts
  // them at random times (a Poisson process), whatever becomes of earlier ones.
  int concurrency = 1;
  double ramp_seconds = 0;     // a closed loop's first requests are spread evenly over this time
  std::optional<double> rate;  // per second
  std::size_t warm_up = 0;     // requests before, which count for nothing
  std::optional<std::size_t> requests;
  std::optional<double> seconds;                // how long requests are started; all are waited for
  std::chrono::milliseconds deadline{300'000};  // of each request

  std::filesystem::path prompts;    // JSON lines, taken in turn; empty: random words
  LengthDistribution input_tokens;  // of random prompts
  LengthDistribution output_tokens;
  std::uint64_t seed = 0;
  bool keeps_text = false;  // of answers, for a record
  bool ends_early = false;  // by a signal, with what was measured until then
};

// Why a request gave no answer.
enum class LoadFailure : std::uint8_t {
  none,
  refused,       // no connection could be made
  timed_out,     // it was still coming at the deadline
  stalled,       // nothing had come for half of the time until the deadline
  disconnected,  // the connection ended first
  http_status,   // anything but 200
  bad_stream,    // something else than events with JSON of this interface
  error_event,   // the server reported an error in its answer
  short_answer,  // no text, fewer tokens than its finish_reason says, or no end mark
  other
};
// "timed_out" and so on, as it stands in records; empty for none.
[[nodiscard]] std::string load_failure_name(LoadFailure failure);
[[nodiscard]] const std::vector<LoadFailure>& all_load_failures();

// Times are seconds of CLOCK_MONOTONIC.
struct RequestOutcome {
  std::size_t index = 0;        // in the order they were started
  bool repeated = false;        // the same prompt was answered before in this run
  double scheduled = 0;         // when it was to be sent; latencies count from here
  double sent = 0;              // when it was sent
  std::optional<double> first;  // when the first text came
  std::optional<double> last;   // when the last text came
  double ended = 0;
  std::vector<float> gaps;  // seconds from each piece of text to the next

  std::size_t asked_tokens = 0;
  std::size_t pieces = 0;  // of text: events that carry some
  std::size_t words = 0;   // between blanks
  std::size_t bytes = 0;
  std::optional<std::size_t> usage_input;
  std::optional<std::size_t> usage_output;
  bool has_odd_usage = false;  // it is something else than a number of tokens
  std::string id;              // the server's
  std::string finish_reason;
  std::string text;                     // where LoadSettings keeps it
  std::vector<std::size_t> text_bytes;  // the same: how long it was after each piece

  LoadFailure failure = LoadFailure::none;
  int status = 0;
  std::string detail;  // of a failure

  [[nodiscard]] bool succeeded() const { return failure == LoadFailure::none; }
};

struct LoadRun {
  std::vector<RequestOutcome> requests;  // without those to warm up
  double began = 0;                      // when the first could be sent
  double ended = 0;                      // when the last had ended
  double cpu_seconds = 0;                // that this process took meanwhile
  std::uint64_t handled_events = 0;
  std::uint64_t late_events = 0;  // handled more than 1 ms after they could be known of
  double longest_delay = 0;       // seconds, of the handling of an event
  std::string gave_up;            // why not all were made; empty: they were
  int signal = 0;                 // that ended it early; 0: none did
};

// Called several times a second with the number of requests that have ended, of those that count.
// What it throws ends the load.
using LoadProgress = std::function<void(std::size_t ended)>;

// Makes the requests. Throws Error(usage) for settings or prompts that make no sense,
// Error(environment) where too few descriptors or no memory can be had, and Interrupted, unless the
// settings say otherwise.
[[nodiscard]] LoadRun run_load(const http::CurlLibrary& curl, const LoadSettings& settings,
                               const LoadProgress& progress = {});

// One outcome as a JSON line, with its times (docs/http-benchmark.md).
[[nodiscard]] std::string outcome_line(const RequestOutcome& outcome);

}  // namespace autokernel::lab
