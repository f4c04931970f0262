#include "lab/mock/reply_text.h"

#include <fmt/format.h>

#include <iterator>

#include "autokernel/base/document_json.h"

namespace autokernel::lab {
namespace {

using document::Json;

[[nodiscard]] const char* reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Payload Too Large";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

[[nodiscard]] std::string json_quoted(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Up to "choices", without the brace at the end.
[[nodiscard]] std::string json_head(const ReplyLabel& label, const char* object) {
  return fmt::format(R"({{"id":{},"object":"{}","created":{},"model":{},)", json_quoted(label.id),
                     object, label.created, json_quoted(label.model));
}

[[nodiscard]] std::string usage_json(const Usage& usage) {
  return fmt::format(R"("usage":{{"prompt_tokens":{},"completion_tokens":{},"total_tokens":{}}})",
                     usage.prompt_tokens, usage.completion_tokens,
                     usage.prompt_tokens + usage.completion_tokens);
}

void add_event(std::string& out, std::initializer_list<std::string_view> parts) {
  constexpr std::string_view kFieldName = "data: ";
  constexpr std::string_view kEventEnd = "\n\n";
  std::size_t size = kFieldName.size() + kEventEnd.size();
  for (const std::string_view part : parts) size += part.size();
  fmt::format_to(std::back_inserter(out), "{:x}\r\n", size);
  out += kFieldName;
  for (const std::string_view part : parts) out += part;
  out += kEventEnd;
  out += "\r\n";
}

}  // namespace

std::string http_reply(int status, std::string_view json, bool keeps_connection) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{}\r\n{}", status,
      reason_phrase(status), json.size(), keeps_connection ? "" : "Connection: close\r\n", json);
}

std::string models_body(const std::string& model) {
  return fmt::format(
      R"({{"object":"list","data":[{{"id":{},"object":"model","created":0,"owned_by":"mock"}}]}})",
      json_quoted(model));
}

std::string reply_body(const ReplyLabel& label, std::string_view text,
                       std::string_view finish_reason, const Usage& usage) {
  const bool is_chat = label.endpoint == Endpoint::chat;
  const std::string content =
      is_chat ? fmt::format(R"("message":{{"role":"assistant","content":{}}})", json_quoted(text))
              : fmt::format(R"("text":{})", json_quoted(text));
  return fmt::format(R"({}"choices":[{{"index":0,{},"logprobs":null,"finish_reason":"{}"}}],{}}})",
                     json_head(label, is_chat ? "chat.completion" : "text_completion"), content,
                     finish_reason, usage_json(usage));
}

ReplyStream::ReplyStream(const ReplyLabel& label) : endpoint_(label.endpoint) {
  const bool is_chat = endpoint_ == Endpoint::chat;
  head_ = json_head(label, is_chat ? "chat.completion.chunk" : "text_completion");
  opening_ = head_ + (is_chat ? R"("choices":[{"index":0,"delta":{"content":")"
                              : R"("choices":[{"index":0,"text":")");
  closing_ = is_chat ? R"("},"finish_reason":null}]})" : R"(","finish_reason":null}]})";
}

void ReplyStream::add_begin(std::string& out) const {
  out +=
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  if (endpoint_ != Endpoint::chat) return;
  add_event(
      out,
      {head_,
       R"("choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]})"});
}

void ReplyStream::add_token(std::string& out, std::string_view token) const {
  add_event(out, {opening_, token, closing_});
}

void ReplyStream::add_end(std::string& out, std::string_view finish_reason,
                          const std::optional<Usage>& usage) const {
  const std::string_view nothing = endpoint_ == Endpoint::chat ? R"("delta":{})" : R"("text":"")";
  add_event(out, {head_, R"("choices":[{"index":0,)", nothing, R"(,"finish_reason":")",
                  finish_reason, R"("}]})"});
  if (usage) add_event(out, {head_, R"("choices":[],)", usage_json(*usage), "}"});
  add_event(out, {"[DONE]"});
  out += "0\r\n\r\n";
}

void ReplyStream::add_damaged(std::string& out) const {
  add_event(out, {opening_});  // a text that is never closed
}

}  // namespace autokernel::lab
