// The bytes of the mock server's answers: HTTP/1.1 heads, JSON bodies, and events of a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lab/mock/completion_request.h"

namespace autokernel::lab {

struct Usage {
  std::size_t prompt_tokens = 0;
  std::size_t completion_tokens = 0;
};

// A whole answer with its head.
[[nodiscard]] std::string http_reply(int status, std::string_view json, bool keeps_connection);

// The list of models, which is of one.
[[nodiscard]] std::string models_body(const std::string& model);

// Whose answer it is, as it stands in each JSON of it.
struct ReplyLabel {
  Endpoint endpoint = Endpoint::chat;
  std::string id;
  std::int64_t created = 0;  // seconds since 1970
  std::string model;
};

// The body of an answer in one piece.
[[nodiscard]] std::string reply_body(const ReplyLabel& label, std::string_view text,
                                     std::string_view finish_reason, const Usage& usage);

// An answer in pieces: each call appends to `out` what is to be sent. Each event is a chunk of
// HTTP's chunked encoding, "data: " with one JSON.
class ReplyStream {
 public:
  ReplyStream() = default;
  explicit ReplyStream(const ReplyLabel& label);

  // The head, and of chat the event that names the role.
  void add_begin(std::string& out) const;
  // `token` is of letters and blanks alone.
  void add_token(std::string& out, std::string_view token) const;
  // What ends the answer: the reason, usage where it was asked for, [DONE], the last chunk.
  void add_end(std::string& out, std::string_view finish_reason,
               const std::optional<Usage>& usage) const;
  // An event of which the JSON is cut off.
  void add_damaged(std::string& out) const;

 private:
  Endpoint endpoint_ = Endpoint::chat;
  std::string head_;     // of each JSON, up to "choices":
  std::string opening_;  // before a token
  std::string closing_;  // after it
};

}  // namespace autokernel::lab
