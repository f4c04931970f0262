#include "runtime/register_copies.h"

#include <cstring>
#include <span>

namespace emulator::runtime {

extern "C" void emu_move(WarpContext* /*context*/, const std::uint8_t* from, std::uint8_t* to,
                         const CopiedRegister* copies, std::uint32_t count) {
  for (const CopiedRegister& copy : std::span(copies, count)) {
    std::memcpy(to + copy.to, from + copy.from, kCopiedBytes);
  }
}

}  // namespace emulator::runtime
