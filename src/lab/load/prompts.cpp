#include "lab/load/prompts.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "lab/random_bits.h"

namespace autokernel::lab {
namespace {

using document::Json;

// With the blank before it, each is one token of the tokenizers of GPT-2, Llama and Qwen.
constexpr std::array<std::string_view, 64> kCommonWords = {
    "the",  "of",   "and",   "to",    "in",    "is",    "that",  "for",  "it",   "as",   "was",
    "with", "be",   "by",    "on",    "not",   "he",    "his",   "but",  "at",   "are",  "this",
    "have", "from", "or",    "had",   "an",    "they",  "which", "one",  "you",  "were", "all",
    "her",  "she",  "there", "would", "their", "we",    "him",   "been", "has",  "when", "who",
    "will", "no",   "more",  "if",    "out",   "so",    "up",    "said", "what", "its",  "about",
    "than", "into", "them",  "can",   "only",  "other", "time",  "new",  "some"};

// Streams of random numbers that must not be the same.
constexpr std::uint64_t kPromptStream = 1;
constexpr std::uint64_t kInputStream = 2;
constexpr std::uint64_t kOutputStream = 3;

[[nodiscard]] std::uint64_t seed_for(std::uint64_t seed, std::uint64_t stream, std::size_t index) {
  const std::uint64_t mixed = RandomBits(seed).next() ^ RandomBits(stream).next();
  return RandomBits(mixed ^ index).next();
}

[[nodiscard]] std::string as_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

[[nodiscard]] Error bad_prompt(const std::filesystem::path& file, std::size_t line,
                               const std::string& why) {
  return {Stop::usage,
          fmt::format("cannot read the prompts in {}, line {}: {}", file.string(), line, why)};
}

// `"prompt":TEXT` or `"messages":LIST` of a line, as the endpoint takes it.
[[nodiscard]] std::string member_of(const LoadSettings& settings, std::string_view line,
                                    std::size_t number) {
  std::optional<Json> object;
  try {
    object = document::parsed(line);
  } catch (const document::Unreadable& unreadable) {
    throw bad_prompt(settings.prompts, number, unreadable.why);
  }
  if (!object || !object->is_object()) {
    throw bad_prompt(settings.prompts, number, "it is not a JSON object");
  }
  const auto messages = object->find("messages");
  if (messages != object->end() && messages->is_array() && !messages->empty()) {
    if (settings.is_chat) return "\"messages\":" + as_text(*messages);
    throw bad_prompt(settings.prompts, number,
                     "'messages' are for --endpoint chat; give a 'prompt' here");
  }
  const auto prompt = object->find("prompt");
  if (prompt == object->end() || !prompt->is_string()) {
    throw bad_prompt(settings.prompts, number,
                     "it has neither a text 'prompt' nor a list of 'messages'");
  }
  if (!settings.is_chat) return "\"prompt\":" + as_text(*prompt);
  return R"("messages":[{"role":"user","content":)" + as_text(*prompt) + "}]";
}

[[nodiscard]] std::vector<std::string> members_of(const LoadSettings& settings) {
  std::vector<std::string> members;
  if (settings.prompts.empty()) return members;
  const std::string text = read_file(settings.prompts, "the prompts");
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    ++number;
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
      members.push_back(member_of(settings, line, number));
    }
    begin = end + 1;
  }
  if (members.empty()) {
    throw Error(Stop::usage, fmt::format("cannot take prompts from {}: it has none; each line is "
                                         "{{\"prompt\": TEXT}} or {{\"messages\": [...]}}",
                                         settings.prompts.string()));
  }
  return members;
}

}  // namespace

Prompts::Prompts(const LoadSettings& settings) : settings_(settings), fixed_(members_of(settings)) {
  head_ = "{\"model\":" + as_text(settings.model) + ",";
}

std::string Prompts::random_prompt(std::size_t index) const {
  const std::size_t words =
      settings_.input_tokens.draw(seed_for(settings_.seed, kInputStream, index));
  RandomBits random(seed_for(settings_.seed, kPromptStream, index));
  std::string text =
      settings_.is_chat ? R"("messages":[{"role":"user","content":")" : R"("prompt":")";
  for (std::size_t i = 0; i < words; ++i) {
    if (i > 0) text += ' ';
    text += kCommonWords[random.below(kCommonWords.size())];
  }
  text += settings_.is_chat ? "\"}]" : "\"";
  return text;
}

Prompts::Body Prompts::body(std::size_t index) const {
  Body body;
  body.prompt = fixed_.empty() ? index : index % fixed_.size();
  body.output_tokens = settings_.output_tokens.draw(seed_for(settings_.seed, kOutputStream, index));
  body.json = head_;
  body.json += fixed_.empty() ? random_prompt(index) : fixed_[body.prompt];
  body.json += fmt::format(R"(,"max_tokens":{},"temperature":0)", body.output_tokens);
  if (settings_.ignores_end) body.json += R"(,"ignore_eos":true)";
  if (settings_.is_streamed) {
    body.json += R"(,"stream":true,"stream_options":{"include_usage":true})";
  }
  body.json += '}';
  return body;
}

}  // namespace autokernel::lab
