#include "ptx/debug_directives.h"

#include <charconv>

namespace emulator::ptx {
namespace {

std::uint32_t read_number(TokenStream& tokens, std::string_view what) {
  const Token token = tokens.expect(TokenKind::number, what);
  std::uint32_t number = 0;
  const char* const begin = token.text.data();
  const char* const end = begin + token.text.size();
  const auto [rest, error] = std::from_chars(begin, end, number);
  return error == std::errc{} && rest == end ? number : 0;
}

SourcePlace read_place(TokenStream& tokens) {
  SourcePlace place;
  place.file = read_number(tokens, "a number");
  place.line = read_number(tokens, "a number");
  place.column = read_number(tokens, "a number");
  return place;
}

}  // namespace

LocDirective read_loc(TokenStream& tokens) {
  LocDirective loc;
  loc.place = read_place(tokens);
  while (tokens.take_if(",")) {
    const Token word = tokens.expect_identifier("'function_name' or 'inlined_at'");
    if (word.text == "inlined_at") {
      loc.inlined_at = read_place(tokens);
      continue;
    }
    tokens.expect_identifier("a label");
    if (tokens.take_if("+")) tokens.expect(TokenKind::number, "a number");
  }
  return loc;
}

FileDirective read_file(TokenStream& tokens) {
  FileDirective file;
  file.number = read_number(tokens, "the number of a file");
  file.name = tokens.expect(TokenKind::string, "the name of a file").text;
  while (tokens.take_if(",")) tokens.expect(TokenKind::number, "a number");
  return file;
}

}  // namespace emulator::ptx
