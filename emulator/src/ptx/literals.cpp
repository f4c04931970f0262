#include <bit>
#include <charconv>
#include <string>

#include "ptx/constants.h"

namespace emulator::ptx {
namespace {

[[noreturn]] void fail_malformed(const Token& token) {
  throw Error(token.where, "malformed number " + in_quotes(token));
}

std::uint64_t integer_of(const Token& token, std::string_view digits, int base) {
  std::uint64_t value = 0;
  const char* const begin = digits.data();
  const char* const end = begin + digits.size();
  const std::from_chars_result result = std::from_chars(begin, end, value, base);
  if (result.ec == std::errc::result_out_of_range && result.ptr == end) {
    throw Error(token.where, "number " + in_quotes(token) + " does not fit in 64 bits");
  }
  if (result.ec != std::errc() || result.ptr != end) fail_malformed(token);
  return value;
}

// The bits after 0f or 0d: exactly as many digits as the format has.
Constant ieee_bits(const Token& token, std::size_t digits, Constant::Kind kind) {
  if (token.text.size() != digits + 2) fail_malformed(token);
  return {integer_of(token, token.text.substr(2), 16), kind};
}

Constant decimal_floating(const Token& token) {
  double value = 0;
  const char* const begin = token.text.data();
  const char* const end = begin + token.text.size();
  const std::from_chars_result result = std::from_chars(begin, end, value);
  if (result.ec == std::errc::result_out_of_range) {
    throw Error(token.where, "number " + in_quotes(token) + " is beyond the range of f64");
  }
  if (result.ec != std::errc() || result.ptr != end) fail_malformed(token);
  return {std::bit_cast<std::uint64_t>(value), Constant::Kind::f64};
}

Constant integer(const Token& token) {
  std::string_view digits = token.text;
  const bool is_unsigned = digits.back() == 'U';
  if (is_unsigned) digits.remove_suffix(1);
  int base = 10;
  if (digits.size() > 1 && digits.front() == '0') {
    const char prefix = digits[1];
    if (prefix == 'x' || prefix == 'X') {
      base = 16;
      digits.remove_prefix(2);
    } else if (prefix == 'b' || prefix == 'B') {
      base = 2;
      digits.remove_prefix(2);
    } else {
      base = 8;
    }
  }
  const std::uint64_t value = integer_of(token, digits, base);
  const bool fits_signed = (value >> 63U) == 0;
  return {value, is_unsigned || !fits_signed ? Constant::Kind::unsigned_integer
                                             : Constant::Kind::signed_integer};
}

}  // namespace

Constant number_value(const Token& token) {
  const char prefix = token.text.size() > 1 && token.text[0] == '0' ? token.text[1] : '\0';
  if (prefix == 'f' || prefix == 'F') return ieee_bits(token, 8, Constant::Kind::f32);
  if (prefix == 'd' || prefix == 'D') return ieee_bits(token, 16, Constant::Kind::f64);
  const bool has_prefix = prefix == 'x' || prefix == 'X' || prefix == 'b' || prefix == 'B';
  if (!has_prefix && token.text.find_first_of(".eE") != std::string_view::npos) {
    return decimal_floating(token);
  }
  return integer(token);
}

}  // namespace emulator::ptx
