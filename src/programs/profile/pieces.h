// The bytes of a file, piece by piece: a trace may be larger than the memory.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "autokernel/base/descriptor.h"

namespace autokernel::programs {

// Gives the next piece, which is valid until the next call; an empty one at the end.
using Pieces = std::function<std::string_view()>;

// Of an open file, from its beginning; several may read one file. Throws Error(usage), "ATTEMPT:
// why", where it cannot be read.
[[nodiscard]] Pieces pieces_of(std::shared_ptr<const Descriptor> file, std::string attempt);

// Of bytes in memory, which must stay where they are. `at_once` is the length of a piece.
[[nodiscard]] Pieces pieces_of(std::string_view bytes, std::size_t at_once);

}  // namespace autokernel::programs
