// Any bytes are either a module or an error with a place inside the text, and the lines of the
// source that they name are lines that they hold.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ptx/ast.h"
#include "ptx/source_lines.h"

namespace {

void require_named_lines(const std::string& text) {
  constexpr std::uint32_t kLooked = 64;
  const emulator::ptx::SourceLines lines(text);
  for (std::uint32_t line = 0; line < kLooked; ++line) {
    for (const emulator::ptx::SourceLine& named : lines.at(line)) {
      if (named.line == 0 || text.find(named.file) == std::string::npos) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  require_named_lines(text);
  try {
    static_cast<void>(emulator::ptx::parse(text));
  } catch (const emulator::ptx::Error& error) {
    const emulator::ptx::Location where = error.where();
    if (where.line == 0 || where.column == 0 || where.line > size + 1 || where.column > size + 1) {
      std::abort();
    }
  }
  return 0;
}
