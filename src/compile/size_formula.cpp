#include "autokernel/compile/size_formula.h"

#include <fmt/format.h>

#include <cctype>
#include <stdexcept>
#include <string_view>

#include "autokernel/base/number.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::compile {
namespace {

constexpr std::size_t kLongest = 1000;
// Brackets within each other: each is a call of this parser.
constexpr int kDeepest = 100;

class Formula {
 public:
  Formula(std::string_view text, const std::map<std::string, std::int64_t>& sizes)
      : text_(text), sizes_(sizes) {}

  [[nodiscard]] std::int64_t value() {
    const std::int64_t value = sum();
    skip_blanks();
    if (!text_.empty()) fail(fmt::format("ends before \"{}\"", visible_line(text_)));
    return value;
  }

 private:
  [[noreturn]] static void fail(const std::string& what) { throw std::runtime_error(what); }

  void skip_blanks() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
  }
  // Takes the next letter where it is one of these.
  [[nodiscard]] char next_of(std::string_view letters) {
    skip_blanks();
    if (text_.empty() || letters.find(text_.front()) == std::string_view::npos) return '\0';
    const char letter = text_.front();
    text_.remove_prefix(1);
    return letter;
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as kDeepest
  [[nodiscard]] std::int64_t sum() {
    std::int64_t value = product();
    while (const char sign = next_of("+-")) {
      const std::int64_t right = product();
      const bool is_too_large = sign == '+' ? __builtin_add_overflow(value, right, &value)
                                            : __builtin_sub_overflow(value, right, &value);
      if (is_too_large) fail("is too large");
    }
    return value;
  }
  // NOLINTNEXTLINE(misc-no-recursion): as deep as kDeepest
  [[nodiscard]] std::int64_t product() {
    std::int64_t value = factor();
    while (const char sign = next_of("*/%")) {
      const std::int64_t right = factor();
      if (sign == '*') {
        if (__builtin_mul_overflow(value, right, &value)) fail("is too large");
      } else if (right <= 0) {
        fail(fmt::format("divides by {}", right));
      } else {
        value = sign == '/' ? value / right : value % right;
      }
    }
    return value;
  }
  // NOLINTNEXTLINE(misc-no-recursion): as deep as kDeepest
  [[nodiscard]] std::int64_t factor() {
    if (next_of("(") != '\0') {
      if (++depth_ > kDeepest) fail("has too many brackets");
      const std::int64_t value = sum();
      if (next_of(")") == '\0') fail("has a bracket that is not closed");
      --depth_;
      return value;
    }
    skip_blanks();
    std::size_t length = 0;
    while (length < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[length])) != 0 || text_[length] == '_')) {
      ++length;
    }
    const std::string word(text_.substr(0, length));
    if (word.empty()) fail(text_.empty() ? "ends too early" : "has no number where one is needed");
    text_.remove_prefix(length);
    std::int64_t number = 0;
    if (read_number(word, number)) return number;
    const auto size = sizes_.find(word);
    if (size == sizes_.end()) fail(fmt::format("has \"{}\", which is no size of the case", word));
    return size->second;
  }

  std::string_view text_;
  const std::map<std::string, std::int64_t>& sizes_;
  int depth_ = 0;
};

}  // namespace

std::variant<std::int64_t, std::string> value_of(const std::string& formula,
                                                 const std::map<std::string, std::int64_t>& sizes) {
  if (formula.size() > kLongest) return fmt::format("has more than {} characters", kLongest);
  try {
    return Formula(formula, sizes).value();
  } catch (const std::runtime_error& error) {
    return std::string(error.what());
  }
}

}  // namespace autokernel::compile
