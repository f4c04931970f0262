// The process with the parser. Reads batches of texts from standard input and answers each with the
// canonical form of what the parser made of its texts. It judges nothing, and times nothing: see
// main.cpp.
//
// Canonical form: `!` for what is no JSON, else
//     n t f              null, true, false
//     #3ff0000000000000  a number: the bits of the double, most significant digit first
//     5:hello            a string: how many bytes of UTF-8, and these
//     [...]              an array: its values
//     {...}              an object: each name and its value, in the order of parser.h
#include <unistd.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "parser.h"
#include "pipe.h"

namespace {

constexpr std::size_t kLongestBatch = 64 << 20;

void append_string(std::string& to, std::string_view text) {
  char digits[20];
  to.append(digits, std::to_chars(digits, digits + sizeof digits, text.size()).ptr);
  to += ':';
  to += text;
}

void append_number(std::string& to, double number) {
  auto bits = std::bit_cast<std::uint64_t>(number);
  char text[17];
  for (int i = 16; i > 0; --i, bits >>= 4U) text[i] = "0123456789abcdef"[bits & 15U];
  text[0] = '#';
  to.append(text, sizeof text);
}

void append_value(std::string& to, const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::null:
      to += 'n';
      break;
    case json::Kind::boolean:
      to += value.boolean() ? 't' : 'f';
      break;
    case json::Kind::number:
      append_number(to, value.number());
      break;
    case json::Kind::string:
      append_string(to, value.string());
      break;
    case json::Kind::array:
      to += '[';
      for (const auto& item : value.array()) append_value(to, item);
      to += ']';
      break;
    case json::Kind::object:
      to += '{';
      for (const auto& [name, member] : value.object()) {
        append_string(to, name);
        append_value(to, member);
      }
      to += '}';
      break;
  }
}

}  // namespace

int main() {
  std::string batch;
  std::string record;
  std::string body;
  std::string answer;
  while (read_message(STDIN_FILENO, batch, kLongestBatch)) {
    body.clear();
    for (std::string_view left = batch; !left.empty();) {
      const std::size_t length = take_length(left);
      record.clear();
      if (const auto value = json::parse(left.substr(0, length))) {
        append_value(record, *value);
      } else {
        record += '!';
      }
      left.remove_prefix(length);
      append_length(body, record.size());
      body += record;
    }
    answer.clear();
    append_length(answer, body.size());
    answer += body;
    if (!write_exactly(STDOUT_FILENO, answer)) return 1;
  }
}
