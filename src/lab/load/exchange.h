// One request of a load: what comes back is timed, read and judged.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "autokernel/http/event_stream.h"
#include "autokernel/http/transfers.h"
#include "autokernel/lab/load.h"
#include "lab/load/answer_piece.h"

namespace autokernel::lab {

// Now, in seconds of CLOCK_MONOTONIC.
[[nodiscard]] double monotonic_seconds();

class Exchange : public http::TransferListener {
 public:
  using Ended = std::function<void(Exchange&)>;

  // `outcome` says what was asked, and when. `settings` must outlive it. `ended` is called when
  // the outcome is complete; it may destroy the exchange.
  Exchange(const LoadSettings& settings, RequestOutcome outcome, Ended ended);

  [[nodiscard]] bool on_bytes(int status, std::string_view bytes) override;
  void on_end(const http::TransferEnd& end) override;

  RequestOutcome outcome;

 private:
  void take_event(const http::StreamEvent& event);
  void take_piece(const AnswerPiece& piece, double now);
  void fail(LoadFailure failure, std::string detail);
  void judge(const http::TransferEnd& end);
  void judge_answer();

  const LoadSettings& settings_;
  Ended ended_;
  http::EventStreamParser events_;
  std::string body_;  // of an answer in one piece, or of an error
  double last_bytes_ = 0;
  bool is_within_word_ = false;
  bool has_end_mark_ = false;
};

}  // namespace autokernel::lab
