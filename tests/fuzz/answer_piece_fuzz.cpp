// Any bytes are a piece of an answer exactly where they are a JSON object, and its text is in them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "autokernel/base/json_bounds.h"
#include "lab/load/answer_piece.h"

namespace {

void require_piece(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const auto piece = autokernel::lab::read_answer_piece(text);
  // What is nested too deeply for a tree is read all the same.
  constexpr autokernel::document::JsonBounds kBounds = {.deepest = 200, .most_values = 100'000};
  if (autokernel::document::excess_of(text, kBounds) != nullptr) return 0;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  require_piece(piece.has_value() == json.is_object());
  if (!piece) return 0;
  require_piece(piece->has_usage || !piece->usage_output);
  require_piece(piece->has_choices || piece->text.empty());
  return 0;
}
