// .loc and .file: what a compiler says of the source it made the instructions from. Each function
// reads what stands behind the directive's own word.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/token_stream.h"

namespace emulator::ptx {

// A place in a source; `file` is the number that a .file directive gives a name to. A number that
// does not fit is 0, which names nothing.
struct SourcePlace {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend auto operator<=>(const SourcePlace&, const SourcePlace&) = default;
};

// .loc 1 2 3, function_name $L+4, inlined_at 1 2 3
struct LocDirective {
  SourcePlace place;
  // Where the function that holds the place was called: the place of an earlier .loc.
  std::optional<SourcePlace> inlined_at;
};
[[nodiscard]] LocDirective read_loc(TokenStream& tokens);

// .file 1 "a.cu", 123, 456
struct FileDirective {
  std::uint32_t number = 0;
  std::string_view name;  // into the text
};
[[nodiscard]] FileDirective read_file(TokenStream& tokens);

}  // namespace emulator::ptx
