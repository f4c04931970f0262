#include "lab/load/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lab/load/intervals.h"

namespace autokernel::lab {
namespace {

// A detokenizer that holds back what may become a stop sequence sends it in a piece of its own.
constexpr std::size_t kExtraPieces = 1;
// The token that ends an answer has no text.
constexpr std::size_t kEndTokens = 1;
// Tokens of natural text have four bytes on average, of source code with its blanks six.
constexpr double kMostBytesPerToken = 16;
// An answer that is so much slower per token than the median is no noise of a server that batches.
constexpr double kSlowerThanMedian = 3;
// Repeated prompts that take less than this share of the time of new ones were not computed anew.
constexpr double kCachedShare = 0.5;
// Of each, new and repeated; fewer say nothing.
constexpr std::size_t kFewestToCompare = 3;

// Why usage cannot be right; empty where it can.
[[nodiscard]] std::string usage_fault(const RequestOutcome& outcome, TokenCount count) {
  if (outcome.has_odd_usage) return "something that is no whole number of tokens";
  if (!outcome.usage_output) return {};
  const std::size_t claimed = *outcome.usage_output;
  if (claimed > outcome.asked_tokens) {
    return fmt::format("{} tokens, where {} were requested", claimed, outcome.asked_tokens);
  }
  if (count == TokenCount::words && claimed != outcome.words) {
    return fmt::format("{} tokens, where the text has {} words", claimed, outcome.words);
  }
  const bool is_streamed = outcome.pieces > 1;
  if (is_streamed && claimed + kExtraPieces < outcome.pieces) {
    return fmt::format("{} tokens, which came in {} pieces", claimed, outcome.pieces);
  }
  if (claimed > outcome.bytes + kEndTokens) {
    return fmt::format("{} tokens in a text of {} bytes", claimed, outcome.bytes);
  }
  if (static_cast<double>(outcome.bytes) >
      kMostBytesPerToken * static_cast<double>(claimed + kEndTokens)) {
    return fmt::format("{} tokens for a text of {} bytes", claimed, outcome.bytes);
  }
  return {};
}

void add_usage_finding(std::vector<LoadFinding>& findings, const LoadRun& run, TokenCount count) {
  std::size_t wrong = 0;
  std::string example;
  for (const RequestOutcome& outcome : run.requests) {
    if (!outcome.succeeded()) continue;
    const std::string fault = usage_fault(outcome, count);
    if (fault.empty()) continue;
    if (wrong++ == 0) example = fault;
  }
  if (wrong == 0) return;
  findings.push_back(
      {.kind = "usage",
       .text = fmt::format("the server's usage is wrong in {} of {} answers: {}, for example",
                           wrong, run.requests.size(), example)});
}

[[nodiscard]] double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return quantile_of_sorted(values, 0.5);
}

// Whether answers come out of a cache.
bool add_cache_finding(std::vector<LoadFinding>& findings, const LoadRun& run) {
  std::vector<double> first[2];  // of new prompts, and of repeated ones
  std::vector<double> whole[2];
  for (const RequestOutcome& outcome : run.requests) {
    if (!outcome.succeeded() || !outcome.first || !outcome.last) continue;
    const std::size_t which = outcome.repeated ? 1 : 0;
    first[which].push_back(*outcome.first - outcome.sent);
    whole[which].push_back(*outcome.last - outcome.sent);
  }
  if (std::min(first[0].size(), first[1].size()) < kFewestToCompare) return false;
  const double new_whole = median_of(whole[0]);
  const double repeated_whole = median_of(whole[1]);
  const double new_first = median_of(first[0]);
  const double repeated_first = median_of(first[1]);
  constexpr double kMs = 1e3;
  if (repeated_whole < kCachedShare * new_whole) {
    findings.push_back({.kind = "answer_cache",
                        .text = fmt::format(
                            "answers to repeated prompts come out of a cache: they took {:.1f} ms, "
                            "those to new prompts {:.1f} ms (medians)",
                            kMs * repeated_whole, kMs * new_whole)});
    return true;
  }
  if (repeated_first < kCachedShare * new_first) {
    findings.push_back(
        {.kind = "prefix_cache",
         .text = fmt::format("repeated prompts are not read anew: their first text took {:.1f} ms, "
                             "that of new prompts {:.1f} ms (medians)",
                             kMs * repeated_first, kMs * new_first)});
  }
  return false;
}

void add_slow_finding(std::vector<LoadFinding>& findings, const LoadRun& run, TokenCount count) {
  std::vector<double> times;
  for (const RequestOutcome& outcome : run.requests) {
    const auto time = outcome.succeeded() ? time_per_token(outcome, count) : std::nullopt;
    if (time) times.push_back(*time);
  }
  if (times.size() < kFewestToCompare) return;
  const double median = median_of(times);
  const auto slow =
      std::ranges::count_if(times, [&](double time) { return time > kSlowerThanMedian * median; });
  if (slow == 0) return;
  constexpr double kMs = 1e3;
  findings.push_back(
      {.kind = "slow",
       .text = fmt::format("{} of {} answers took more than {:g} times the median time per token, "
                           "{:.2f} ms",
                           slow, times.size(), kSlowerThanMedian, kMs * median)});
}

void add_failures(std::vector<LoadFinding>& findings, const LoadRun& run) {
  std::map<LoadFailure, std::pair<std::size_t, std::string>> failures;
  for (const RequestOutcome& outcome : run.requests) {
    if (outcome.succeeded()) continue;
    auto& [count, example] = failures[outcome.failure];
    if (count++ == 0) example = outcome.detail;
  }
  for (const auto& [failure, found] : failures) {
    findings.push_back(
        {.kind = load_failure_name(failure),
         .text = fmt::format("{} of {} requests: {}", found.first, run.requests.size(),
                             found.second.empty() ? "no reason is known" : found.second)});
  }
}

}  // namespace

std::size_t tokens_of(const RequestOutcome& outcome, TokenCount count) {
  if (count == TokenCount::words) return outcome.words;
  // A piece of a stream is a token at least, and not every language has blanks.
  return outcome.usage_output.value_or(std::max(outcome.words, outcome.pieces));
}

std::optional<double> time_per_token(const RequestOutcome& outcome, TokenCount count) {
  const std::size_t tokens = tokens_of(outcome, count);
  if (!outcome.first || !outcome.last || tokens < 2 || outcome.pieces < 2) return {};
  return (*outcome.last - *outcome.first) / static_cast<double>(tokens - 1);
}

std::vector<LoadFinding> findings_in(const LoadRun& run, TokenCount count) {
  std::vector<LoadFinding> findings;
  add_failures(findings, run);
  add_usage_finding(findings, run, count);
  // Next to answers out of a cache, any that was computed is slow.
  if (!add_cache_finding(findings, run)) add_slow_finding(findings, run, count);
  return findings;
}

}  // namespace autokernel::lab
