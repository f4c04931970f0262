#include "lab/mock/completion_request.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "autokernel/base/document_json.h"
#include "lab/mock/answer.h"

namespace autokernel::lab {
namespace {

using document::Json;

// OpenAI's own limits.
constexpr std::size_t kMostStopSequences = 4;
constexpr double kHottest = 2;

// Thrown within this file alone, from wherever a field is read.
struct Refused {
  ApiRefusal refusal;
};

[[noreturn]] void refuse(std::string message) {
  throw Refused{.refusal = {.message = std::move(message)}};
}

[[nodiscard]] const Json* field_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

[[nodiscard]] bool flag_of(const Json& object, const char* name) {
  const Json* field = field_of(object, name);
  if (field == nullptr) return false;
  if (!field->is_boolean()) refuse(fmt::format("'{}' must be true or false", name));
  return field->get<bool>();
}

[[nodiscard]] std::optional<std::uint64_t> count_of(const Json& object, const char* name,
                                                    std::uint64_t most) {
  const Json* field = field_of(object, name);
  if (field == nullptr) return {};
  if (!field->is_number_unsigned() || *field == 0 || *field > most) {
    refuse(fmt::format("'{}' must be a whole number from 1 to {}", name, most));
  }
  return field->get<std::uint64_t>();
}

void require_one(const Json& object, const char* name) {
  const Json* field = field_of(object, name);
  if (field != nullptr && *field != 1) refuse(fmt::format("'{}' must be 1 here", name));
}

void require_absent(const Json& object, const char* name) {
  const Json* field = field_of(object, name);
  if (field != nullptr && *field != false && *field != 0) {
    refuse(fmt::format("'{}' is not supported by this server", name));
  }
}

// A text, or a list of parts {"type": "text", "text": ...}.
[[nodiscard]] std::string content_of(const Json& message) {
  const Json* content = field_of(message, "content");
  if (content == nullptr) return {};
  if (content->is_string()) return content->get<std::string>();
  if (!content->is_array()) refuse("the 'content' of a message must be a text or a list of parts");
  std::string text;
  for (const Json& part : *content) {
    const Json* words = part.is_object() ? field_of(part, "text") : nullptr;
    if (words == nullptr || !words->is_string()) {
      refuse(R"(each part of a message's 'content' must be {"type": "text", "text": ...})");
    }
    text += words->get<std::string>();
  }
  return text;
}

void read_messages(const Json& object, CompletionRequest& request) {
  const Json* messages = field_of(object, "messages");
  if (messages == nullptr || !messages->is_array() || messages->empty()) {
    refuse("'messages' must be a list with a message in it");
  }
  for (const Json& message : *messages) {
    const Json* role = message.is_object() ? field_of(message, "role") : nullptr;
    if (role == nullptr || !role->is_string()) {
      refuse("each of 'messages' must be an object with a 'role'");
    }
    const std::string content = content_of(message);
    request.prompt += role->get<std::string>() + "\n" + content + "\n";
    request.prompt_tokens += count_words(content);
  }
}

// A text, or a list of one text or of tokens; a batch of several is not supported.
void read_prompt(const Json& object, CompletionRequest& request) {
  const Json* prompt = field_of(object, "prompt");
  if (prompt != nullptr && prompt->is_array() && prompt->size() == 1 &&
      (prompt->front().is_string() || prompt->front().is_array())) {
    prompt = &prompt->front();
  }
  if (prompt != nullptr && prompt->is_string()) {
    request.prompt = prompt->get<std::string>();
    request.prompt_tokens = count_words(request.prompt);
    return;
  }
  if (prompt == nullptr || !prompt->is_array() || prompt->empty()) {
    refuse("'prompt' must be a text, or a list of tokens");
  }
  for (const Json& token : *prompt) {
    if (!token.is_number_unsigned()) refuse("'prompt' must be one text, or one list of tokens");
  }
  request.prompt = prompt->dump();
  request.prompt_tokens = prompt->size();
}

void read_stop(const Json& object, CompletionRequest& request) {
  const Json* stop = field_of(object, "stop");
  if (stop == nullptr) return;
  const Json list = stop->is_array() ? *stop : Json::array({*stop});
  if (list.size() > kMostStopSequences) {
    refuse(fmt::format("'stop' takes {} sequences at most", kMostStopSequences));
  }
  for (const Json& sequence : list) {
    if (!sequence.is_string() || sequence.get_ref<const std::string&>().empty()) {
      refuse("'stop' must be a text that is not empty, or a list of such texts");
    }
    request.stop.push_back(sequence.get<std::string>());
  }
}

void read_seed(const Json& object, CompletionRequest& request) {
  double temperature = 1;  // OpenAI's own
  if (const Json* field = field_of(object, "temperature")) {
    if (!field->is_number()) refuse("'temperature' must be a number");
    temperature = field->get<double>();
    if (!(temperature >= 0 && temperature <= kHottest)) {
      refuse(fmt::format("'temperature' must be from 0 to {:g}", kHottest));
    }
  }
  const Json* seed = field_of(object, "seed");
  if (seed == nullptr) return;
  if (!seed->is_number_integer()) refuse("'seed' must be a whole number");
  if (temperature > 0) request.seed = static_cast<std::uint64_t>(seed->get<std::int64_t>());
}

void require_model(const Json& object, const std::string& model) {
  const Json* field = field_of(object, "model");
  if (field == nullptr || !field->is_string()) refuse("you must provide a 'model'");
  const auto& name = field->get_ref<const std::string&>();
  if (name == model) return;
  throw Refused{.refusal = {.status = 404,
                            .message = fmt::format("the model '{}' does not exist", name),
                            .code = "model_not_found"}};
}

[[nodiscard]] CompletionRequest read_object(Endpoint endpoint, const Json& object,
                                            const std::string& model) {
  require_model(object, model);
  require_one(object, "n");
  require_one(object, "best_of");
  for (const char* name : {"logprobs", "echo", "suffix", "tools", "functions"}) {
    require_absent(object, name);
  }
  CompletionRequest request{.endpoint = endpoint};
  if (endpoint == Endpoint::chat) {
    read_messages(object, request);
  } else {
    read_prompt(object, request);
  }
  const std::size_t usual = endpoint == Endpoint::chat ? kUsualChatTokens : kUsualCompletionTokens;
  const auto newer = count_of(object, "max_completion_tokens", kMostAnswerTokens);
  const auto older = count_of(object, "max_tokens", kMostAnswerTokens);
  request.max_tokens = newer.value_or(older.value_or(usual));
  read_stop(object, request);
  read_seed(object, request);
  request.streamed = flag_of(object, "stream");
  if (const Json* options = field_of(object, "stream_options")) {
    if (!options->is_object()) refuse("'stream_options' must be an object");
    request.usage_in_stream = flag_of(*options, "include_usage");
  }
  return request;
}

}  // namespace

std::string refusal_body(const ApiRefusal& refusal) {
  Json error = Json::object();
  error["message"] = refusal.message;
  error["type"] = refusal.type;
  error["param"] = nullptr;
  error["code"] = refusal.code.empty() ? Json() : Json(refusal.code);
  std::string line = document::line(Json{{"error", error}});
  line.pop_back();
  return line;
}

std::variant<CompletionRequest, ApiRefusal> read_completion_request(Endpoint endpoint,
                                                                    std::string_view body,
                                                                    const std::string& model) {
  try {
    const std::optional<Json> object = document::parsed(body);
    if (!object || !object->is_object()) refuse("the body of the request is not a JSON object");
    return read_object(endpoint, *object, model);
  } catch (const Refused& refused) {
    return refused.refusal;
  } catch (const document::Unreadable& unreadable) {
    return ApiRefusal{.message = "cannot read the body of the request: " + unreadable.why};
  }
}

}  // namespace autokernel::lab
