#include "autokernel/base/document_json.h"

namespace autokernel::document {

namespace {

// Ours have five levels. Writing a value takes a stack frame for each, which a damaged text must
// not be able to use up.
constexpr int kDeepest = 64;
// Ours have some ten thousand. Each takes up to a hundred bytes of memory.
constexpr std::size_t kMostValues = 1'000'000;

// Looks at the text before a value is made of it. (nlohmann-json's callback, which could count as
// well, takes a time that grows with the square of an array's length.)
void require_bounded(std::string_view text) {
  int depth = 0;
  std::size_t values = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      ++values;
      if (++depth > kDeepest) throw Unreadable{"it is nested too deeply"};
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',') {
      ++values;
    }
  }
  if (values > kMostValues) throw Unreadable{"it has too many values"};
}

}  // namespace

std::optional<Json> parsed(std::string_view text) {
  require_bounded(text);
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

std::string why(const Json::exception& error) {
  const std::string_view what = error.what();
  const std::size_t label = what.find("] ");
  return std::string(label == std::string_view::npos ? what : what.substr(label + 2));
}

std::string line(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace autokernel::document
