#include "autokernel/base/document_json.h"

namespace autokernel::document {

// Ours have five levels. Writing a value takes a stack frame for each, which a damaged text must
// not be able to use up.
constexpr int kDeepest = 64;

std::optional<Json> parsed(std::string_view text) {
  const auto within_depth = [](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    if (depth > kDeepest) throw Unreadable{"it is nested too deeply"};
    return true;
  };
  Json json = Json::parse(text, within_depth, /*allow_exceptions=*/false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

std::string line(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace autokernel::document
