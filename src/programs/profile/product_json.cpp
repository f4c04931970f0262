#include "programs/profile/product_json.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <type_traits>

#include "autokernel/base/document_json.h"

namespace autokernel::programs {
namespace {

// Nine digits tell any two numbers of single precision apart, which most factors are.
[[nodiscard]] std::string factor_text(double value) {
  if (!std::isfinite(value)) return "null";
  const bool is_single = static_cast<double>(static_cast<float>(value)) == value;
  return is_single ? fmt::format("{:.9g}", value) : fmt::format("{:.17g}", value);
}

}  // namespace

std::string product_text(const Product& product) {
  std::string text;
  const auto begin = [&](const char* key) {
    text += fmt::format("{}\"{}\":", text.empty() ? "{" : ",", key);
  };
  const auto fields = [&](const char* key, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    begin(key);
    if constexpr (std::is_same_v<Value, std::string>) {
      text += fmt::format("\"{}\"", value);
    } else if constexpr (std::is_same_v<Value, bool>) {
      text += value ? "true" : "false";
    } else if constexpr (std::is_same_v<Value, double>) {
      text += factor_text(value);
    } else {
      text += std::to_string(value);
    }
  };
  visit_fields(fields, product);
  return text + "}";
}

std::optional<Product> product_of_json(std::string_view text) {
  try {
    const std::optional<document::Json> json = document::parsed(text);
    if (!json) return std::nullopt;
    Product product;
    document::Reader::read(*json, product);
    return product;
  } catch (const document::Unreadable&) {
    return std::nullopt;
  } catch (const document::Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace autokernel::programs
