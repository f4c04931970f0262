// Any bytes are either a module or an error with a place inside the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "emulator/ptx/ast.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
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
