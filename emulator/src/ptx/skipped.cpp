#include "ptx/skipped.h"

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

void skip_section(TokenStream& tokens) {
  if (tokens.peek().kind != TokenKind::dotted && tokens.peek().kind != TokenKind::identifier) {
    tokens.fail_expecting("the name of a section");
  }
  tokens.take();
  const Location opened = tokens.expect("{").where;
  tokens.skip_to_close("{", "}", opened);
}

}  // namespace emulator::ptx
