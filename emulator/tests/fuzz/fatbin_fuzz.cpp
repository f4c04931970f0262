// Any bytes are either a fat binary, all of whose texts can be read, or an error.
#include <cstddef>
#include <cstdint>
#include <span>

#include "fatbin/fatbin.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace emulator::fatbin;
  try {
    for (const Entry& entry : entries(std::as_bytes(std::span(data, size)))) {
      if (entry.kind == Kind::ptx) static_cast<void>(text_of(entry));
    }
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
