#include "emulator/ptx/skipped.h"

namespace emulator::ptx {

void skip_attribute(TokenStream& tokens) {
  const Location opened = tokens.expect("(").where;
  tokens.skip_to_close("(", ")", opened);
}

void skip_pragma(TokenStream& tokens) {
  do {
    tokens.expect(TokenKind::string, "a string");
  } while (tokens.take_if(","));
  tokens.expect(";");
}

void skip_loc(TokenStream& tokens) {
  const auto skip_place = [&tokens] {
    for (int i = 0; i < 3; ++i) tokens.expect(TokenKind::number, "a number");
  };
  skip_place();
  while (tokens.take_if(",")) {
    const Token word = tokens.expect_identifier("'function_name' or 'inlined_at'");
    if (word.text == "inlined_at") {
      skip_place();
      continue;
    }
    tokens.expect_identifier("a label");
    if (tokens.take_if("+")) tokens.expect(TokenKind::number, "a number");
  }
}

void skip_file(TokenStream& tokens) {
  tokens.expect(TokenKind::number, "the number of a file");
  tokens.expect(TokenKind::string, "the name of a file");
  while (tokens.take_if(",")) tokens.expect(TokenKind::number, "a number");
}

void skip_section(TokenStream& tokens) {
  if (tokens.peek().kind != TokenKind::dotted && tokens.peek().kind != TokenKind::identifier) {
    tokens.fail_expecting("the name of a section");
  }
  tokens.take();
  const Location opened = tokens.expect("{").where;
  tokens.skip_to_close("{", "}", opened);
}

}  // namespace emulator::ptx
