// What a load has shown: latencies with their intervals, rates, goodput, and whether the server,
// or the load generator itself, can be believed. docs/http-benchmark.md has the definitions.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/lab/load.h"

namespace autokernel::lab {

// A figure with its 95 % interval. An end is missing where there are too few values for one.
struct Estimate {
  double value = 0;
  std::optional<double> low;
  std::optional<double> high;
};

// Of one latency, in seconds. A quantile p of n values is the one of rank ceil(p n).
struct LatencyFigures {
  std::size_t count = 0;  // of values
  Estimate mean;
  Estimate p50;
  Estimate p90;
  Estimate p95;
  Estimate p99;
};

// What a request must keep to count for the goodput; seconds. What is not set does not matter.
struct Objectives {
  std::optional<double> ttft;
  std::optional<double> tpot;
  std::optional<double> itl;  // the longest gap
  std::optional<double> e2e;

  // Reads "ttft=200ms,tpot=30ms": ttft, tpot, itl and e2e, in us, ms or s. Throws Error(usage) that
  // names --goodput.
  [[nodiscard]] static Objectives parse(const std::string& text);
};

struct Goodput {
  double share = 0;                           // of all requests: answered, and all objectives kept
  double per_second = 0;                      // such requests
  std::map<std::string, std::size_t> missed;  // by objective, of requests that were answered
};

// Where numbers of tokens come from.
enum class TokenCount : std::uint8_t {
  usage,  // the server's `usage`; where it tells none, words, or pieces if these are more
  words   // text split at blanks, which is exact for mock-server alone
};

// Something about the server that a reader of the figures has to know.
struct LoadFinding {
  std::string kind;  // "usage", "answer_cache", "prefix_cache", "slow", or a failure's name
  std::string text;  // a sentence
};

struct LoadFigures {
  std::size_t requests = 0;
  std::size_t succeeded = 0;
  std::map<std::string, std::size_t> failures;  // by load_failure_name()
  double seconds = 0;                           // from the first request to the end of the last
  double offered_rate = 0;        // of an open loop: requests a second, until the last was due
  std::string tokens_counted_by;  // "usage", "words", "words or pieces", or both
  std::size_t input_tokens = 0;   // of all answers
  std::size_t output_tokens = 0;
  Estimate requests_per_second;  // that were answered
  Estimate output_tokens_per_second;
  std::optional<Goodput> goodput;

  LatencyFigures ttft;  // from when a request was scheduled to its first text
  LatencyFigures
      tpot;  // (last text - first text) / (tokens - 1), of answers with two tokens or more
  LatencyFigures itl;  // from each piece of text to the next, of all requests
  LatencyFigures e2e;  // from when a request was scheduled to its last text

  // The load generator itself.
  double cpu_cores = 0;         // that it used on average
  double lateness_p99 = 0;      // of sent - scheduled, seconds
  double longest_lateness = 0;  // seconds
  double late_share = 0;        // of events, handled more than 1 ms late
  double longest_delay = 0;     // of such handling, seconds

  std::vector<LoadFinding> findings;
  // Why the figures do not tell how fast the server is: the generator's doing, or a finding.
  std::vector<std::string> unclean;
};

[[nodiscard]] LoadFigures figures_of(const LoadRun& run, const LoadSettings& settings,
                                     TokenCount count, const std::optional<Objectives>& objectives);

}  // namespace autokernel::lab
