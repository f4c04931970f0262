// What one JSON of an answer says: an event of a stream, or an answer in one piece.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace autokernel::lab {

struct AnswerPiece {
  std::string text;  // of `content`, `reasoning_content` or `text`, in the order they came
  std::string id;
  std::string finish_reason;
  std::optional<std::size_t> usage_input;
  std::optional<std::size_t> usage_output;
  bool has_choices = false;
  bool has_usage = false;
  bool has_odd_usage = false;        // tokens that are no whole number
  std::optional<std::string> error;  // the server's message in place of an answer
};

// None where it is not JSON, or no object. Fields that it does not know are ignored, and so are
// choices beyond the first. It makes no tree: a load of thousands of events a second has no time.
[[nodiscard]] std::optional<AnswerPiece> read_answer_piece(std::string_view json);

}  // namespace autokernel::lab
