#include "lab/load/answer_piece.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace autokernel::lab {
namespace {

using nlohmann::json;

enum class PieceKey : std::uint8_t {
  other,
  first_element,
  choices,
  delta,  // or message
  content,
  text,
  finish_reason,
  usage,
  prompt_tokens,
  completion_tokens,
  error,
  message,
  id
};

[[nodiscard]] PieceKey piece_key(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, PieceKey>, 14> kNames = {
      {{"id", PieceKey::id},
       {"choices", PieceKey::choices},
       {"delta", PieceKey::delta},
       {"message", PieceKey::message},
       {"content", PieceKey::content},
       {"reasoning_content", PieceKey::content},
       {"reasoning", PieceKey::content},
       {"text", PieceKey::text},
       {"finish_reason", PieceKey::finish_reason},
       {"usage", PieceKey::usage},
       {"prompt_tokens", PieceKey::prompt_tokens},
       {"completion_tokens", PieceKey::completion_tokens},
       {"error", PieceKey::error},
       {"detail", PieceKey::other}}};
  for (const auto& [known, key] : kNames) {
    if (known == name) return key;
  }
  return PieceKey::other;
}

// Keeps the way from the root to the value that comes next.
class PieceReader final : public nlohmann::json_sax<json> {
 public:
  bool null() override { return value(); }
  bool boolean(bool /*value*/) override { return value(); }
  bool number_integer(number_integer_t /*value*/) override { return odd_value(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    return odd_value();
  }
  bool binary(binary_t& /*value*/) override { return value(); }

  bool number_unsigned(number_unsigned_t number) override {
    if (is_at(PieceKey::usage, PieceKey::prompt_tokens)) {
      piece.usage_input = number;
    } else if (is_at(PieceKey::usage, PieceKey::completion_tokens)) {
      piece.usage_output = number;
    }
    return value();
  }

  bool string(string_t& text) override {
    const bool is_text = is_at_choice(PieceKey::text) ||
                         (path_.size() == 4 && is_in_choice() &&
                          (path_[2] == PieceKey::delta || path_[2] == PieceKey::message) &&
                          path_[3] == PieceKey::content);
    if (is_text) {
      piece.text += text;
    } else if (is_at_choice(PieceKey::finish_reason)) {
      piece.finish_reason = text;
    } else if (path_.size() == 1 && path_[0] == PieceKey::id) {
      piece.id = text;
    } else if (is_at(PieceKey::error, PieceKey::message) ||
               (path_.size() == 1 && path_[0] == PieceKey::error)) {
      piece.error = text;
    }
    return odd_value();
  }

  bool start_object(std::size_t /*elements*/) override {
    if (path_.empty()) is_object = true;
    note_container();
    path_.push_back(PieceKey::other);
    return true;
  }
  bool end_object() override {
    path_.pop_back();
    return value();
  }
  bool start_array(std::size_t /*elements*/) override {
    note_container();
    path_.push_back(PieceKey::first_element);
    return true;
  }
  bool end_array() override {
    path_.pop_back();
    return value();
  }
  bool key(string_t& name) override {
    path_.back() = piece_key(name);
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

  AnswerPiece piece;
  bool is_object = false;

 private:
  // In the place of a number of tokens.
  bool odd_value() {
    if (is_at(PieceKey::usage, PieceKey::completion_tokens)) piece.has_odd_usage = true;
    return value();
  }
  // A value has ended: what follows it in an array is not the first.
  bool value() {
    if (!path_.empty() && path_.back() == PieceKey::first_element) path_.back() = PieceKey::other;
    return true;
  }
  void note_container() {
    if (path_.size() != 1) return;
    if (path_[0] == PieceKey::choices) piece.has_choices = true;
    if (path_[0] == PieceKey::usage) piece.has_usage = true;
    if (path_[0] == PieceKey::error) piece.error = "";
  }
  [[nodiscard]] bool is_at(PieceKey one, PieceKey other) const {
    return path_.size() == 2 && path_[0] == one && path_[1] == other;
  }
  [[nodiscard]] bool is_in_choice() const {
    return path_[0] == PieceKey::choices && path_[1] == PieceKey::first_element;
  }
  [[nodiscard]] bool is_at_choice(PieceKey key) const {
    return path_.size() == 3 && is_in_choice() && path_[2] == key;
  }

  std::vector<PieceKey> path_;
};

// The bytes, by an iterator of this file alone: so are the functions of the parser then, which is
// called for each character, and the linker takes none from a source that is compiled without
// optimisation (src/cli has some).
class PieceByte {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  explicit PieceByte(const char* at) : at_(at) {}
  reference operator*() const { return *at_; }
  PieceByte& operator++() {
    ++at_;
    return *this;
  }
  friend bool operator==(const PieceByte&, const PieceByte&) = default;

 private:
  const char* at_;
};

}  // namespace

std::optional<AnswerPiece> read_answer_piece(std::string_view json_text) {
  PieceReader reader;
  const PieceByte begin(std::to_address(json_text.begin()));
  const PieceByte end(std::to_address(json_text.end()));
  if (!json::sax_parse(begin, end, &reader) || !reader.is_object) return {};
  return std::move(reader.piece);
}

}  // namespace autokernel::lab
