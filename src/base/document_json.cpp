#include "autokernel/base/document_json.h"

#include "autokernel/base/json_bounds.h"

namespace autokernel::document {

namespace {

// Ours have five levels, and some ten thousand values. A level takes a stack frame when the value
// is written, a value up to a hundred bytes of memory: a damaged text must not use them up.
constexpr JsonBounds kBounds = {.deepest = 64, .most_values = 1'000'000};

}  // namespace

std::optional<Json> parsed(std::string_view text) {
  if (const char* excess = excess_of(text, kBounds)) throw Unreadable{std::string("it ") + excess};
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
