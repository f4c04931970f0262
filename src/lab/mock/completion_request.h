// What a client asks the mock server for, read from the JSON of its request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace autokernel::lab {

enum class Endpoint : std::uint8_t { chat, completions };

struct CompletionRequest {
  Endpoint endpoint = Endpoint::chat;
  std::string prompt = {};  // of chat: roles and contents, a line each
  std::size_t prompt_tokens = 0;
  std::size_t max_tokens = 0;
  std::vector<std::string> stop = {};
  std::uint64_t seed = 0;  // 0 at temperature 0, where it plays no part
  bool streamed = false;
  bool usage_in_stream = false;
};

// A refusal in OpenAI's terms.
struct ApiRefusal {
  int status = 400;
  std::string message;
  std::string type = "invalid_request_error";
  std::string code = {};  // empty: null
};
// {"error": {"message", "type", "param", "code"}}, without a line end.
[[nodiscard]] std::string refusal_body(const ApiRefusal& refusal);

// More tokens than a model's context has are a mistake, and would only fill the memory.
inline constexpr std::size_t kMostAnswerTokens = 131'072;
// Of OpenAI's completions, where none is given; chat has no limit there, and needs one here.
inline constexpr std::size_t kUsualCompletionTokens = 16;
inline constexpr std::size_t kUsualChatTokens = 128;

// The request in `body` to a server of `model`, or why it is refused. Fields that are not known are
// ignored, as other servers do.
[[nodiscard]] std::variant<CompletionRequest, ApiRefusal> read_completion_request(
    Endpoint endpoint, std::string_view body, const std::string& model);

}  // namespace autokernel::lab
