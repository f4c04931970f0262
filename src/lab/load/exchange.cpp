#include "lab/load/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "autokernel/base/visible_text.h"

namespace autokernel::lab {
namespace {

// Why an answer ends that is whole; "abort" and others are for those that are not.
constexpr std::array<std::string_view, 5> kWholeAnswers = {"stop", "length", "tool_calls",
                                                           "function_call", "content_filter"};

constexpr int kStatusOk = 200;
constexpr std::string_view kEndMark = "[DONE]";
// Of what a server said, as much as a line holds.
constexpr std::size_t kLongestDetail = 200;
// An answer in one piece: the text of the longest answer, escaped at its worst.
constexpr std::size_t kLargestBody = 64U << 20;
// Room for the gaps of most answers: without it, memory would be moved while others wait.
constexpr std::size_t kUsualGaps = 2048;
// Silent for this share of the time up to the deadline: it was not merely slow.
constexpr double kSilentShare = 0.5;

[[nodiscard]] std::string excerpt(std::string_view text) {
  return visible_line(text.substr(0, kLongestDetail));
}

[[nodiscard]] std::string http_detail(int status, std::string_view body) {
  const auto piece = read_answer_piece(body);
  const std::string_view words = piece && piece->error ? std::string_view(*piece->error) : body;
  return words.empty() ? fmt::format("status {}", status)
                       : fmt::format("status {}: {}", status, excerpt(words));
}

}  // namespace

double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Exchange::Exchange(const LoadSettings& settings, RequestOutcome asked, Ended ended)
    : outcome(std::move(asked)), settings_(settings), ended_(std::move(ended)) {
  if (settings.is_streamed) outcome.gaps.reserve(std::min(outcome.asked_tokens, kUsualGaps));
}

bool Exchange::on_bytes(int status, std::string_view bytes) {
  last_bytes_ = monotonic_seconds();
  if (status == kStatusOk && settings_.is_streamed) {
    const bool fits =
        events_.feed(bytes, [this](const http::StreamEvent& event) { take_event(event); });
    if (!fits) fail(LoadFailure::bad_stream, "an event is larger than 1 MiB");
    return outcome.succeeded();
  }
  body_ += bytes;
  if (body_.size() <= kLargestBody) return true;
  fail(LoadFailure::bad_stream, "the answer is larger than 64 MiB");
  return false;
}

void Exchange::take_event(const http::StreamEvent& event) {
  if (!outcome.succeeded()) return;
  if (event.data == kEndMark) {
    has_end_mark_ = true;
    return;
  }
  const auto piece = read_answer_piece(event.data);
  if (!piece) {
    fail(LoadFailure::bad_stream, "an event is not a JSON object: " + excerpt(event.data));
  } else {
    take_piece(*piece, last_bytes_);
  }
}

void Exchange::take_piece(const AnswerPiece& piece, double now) {
  if (piece.error) {
    fail(LoadFailure::error_event, excerpt(*piece.error));
    return;
  }
  if (!piece.has_choices && !piece.has_usage) {
    fail(LoadFailure::bad_stream, "an answer has neither 'choices' nor 'usage'");
    return;
  }
  if (outcome.id.empty()) outcome.id = piece.id;
  if (!piece.finish_reason.empty()) outcome.finish_reason = piece.finish_reason;
  if (piece.usage_input) outcome.usage_input = piece.usage_input;
  if (piece.usage_output) outcome.usage_output = piece.usage_output;
  if (piece.has_odd_usage) outcome.has_odd_usage = true;
  if (piece.text.empty()) return;
  if (outcome.last) {
    outcome.gaps.push_back(static_cast<float>(now - *outcome.last));
  } else {
    outcome.first = now;
  }
  outcome.last = now;
  ++outcome.pieces;
  outcome.bytes += piece.text.size();
  for (const char character : piece.text) {
    const bool is_blank = character == ' ' || (character >= '\t' && character <= '\r');
    if (!is_blank && !is_within_word_) ++outcome.words;
    is_within_word_ = !is_blank;
  }
  if (settings_.keeps_text) {
    outcome.text += piece.text;
    outcome.text_bytes.push_back(outcome.text.size());
  }
}

// The first thing that is wrong is what the request failed by.
void Exchange::fail(LoadFailure failure, std::string detail) {
  if (!outcome.succeeded()) return;
  outcome.failure = failure;
  outcome.detail = std::move(detail);
}

void Exchange::on_end(const http::TransferEnd& end) {
  outcome.ended = monotonic_seconds();
  outcome.status = end.status;
  judge(end);
  const Ended ended = std::move(ended_);
  ended(*this);
}

void Exchange::judge(const http::TransferEnd& end) {
  using http::TransferEnding;
  const double took = outcome.ended - outcome.sent;
  const double silent = last_bytes_ > 0 ? outcome.ended - last_bytes_ : took;
  switch (end.ending) {
    case TransferEnding::complete:
      if (end.status != kStatusOk) {
        fail(LoadFailure::http_status, http_detail(end.status, body_));
      } else {
        judge_answer();
      }
      break;
    case TransferEnding::refused:
      fail(LoadFailure::refused, end.words);
      break;
    case TransferEnding::timed_out:
      if (silent >= kSilentShare * took) {
        fail(LoadFailure::stalled, fmt::format("nothing came for {:.1f} s after {} pieces of text",
                                               silent, outcome.pieces));
      } else {
        fail(LoadFailure::timed_out, end.words);
      }
      break;
    case TransferEnding::disconnected:
      fail(LoadFailure::disconnected,
           fmt::format("after {} pieces of text: {}", outcome.pieces, end.words));
      break;
    case TransferEnding::broken_off:
    case TransferEnding::failed:
      fail(LoadFailure::other, end.words);
      break;
  }
}

// A whole answer came, with status 200.
void Exchange::judge_answer() {
  if (!settings_.is_streamed) {
    const auto piece = read_answer_piece(body_);
    if (!piece) {
      fail(LoadFailure::bad_stream, "the answer is not a JSON object: " + excerpt(body_));
    } else {
      take_piece(*piece, last_bytes_);
    }
  } else if (outcome.succeeded()) {
    if (outcome.id.empty() && outcome.pieces == 0 && !has_end_mark_) {
      fail(LoadFailure::bad_stream, "the answer is no stream of events");
    } else if (!has_end_mark_) {
      fail(LoadFailure::short_answer,
           fmt::format("no [DONE] after {} pieces of text", outcome.pieces));
    }
  }
  if (!outcome.succeeded()) return;
  if (outcome.pieces == 0 && outcome.finish_reason != "stop") {
    fail(LoadFailure::short_answer, "no text came");
  } else if (outcome.finish_reason.empty()) {
    fail(LoadFailure::short_answer, "no finish_reason came");
  } else if (std::ranges::find(kWholeAnswers, outcome.finish_reason) == kWholeAnswers.end()) {
    fail(LoadFailure::short_answer, fmt::format("it ended for another reason: finish_reason is {}",
                                                excerpt(outcome.finish_reason)));
  } else if (outcome.finish_reason == "length" && outcome.usage_output &&
             *outcome.usage_output < outcome.asked_tokens) {
    fail(LoadFailure::short_answer, fmt::format("{} of {} tokens, although finish_reason is length",
                                                *outcome.usage_output, outcome.asked_tokens));
  }
}

}  // namespace autokernel::lab
