// From a line of PTX to the lines of the source it was made from, by the .loc and .file directives
// that a compiler leaves with -lineinfo. Read from the text once something has to be named: a
// module that runs well pays nothing for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/debug_directives.h"

namespace emulator::ptx {

struct SourceLine {
  std::string file;  // as the directive names it
  std::uint32_t line = 0;
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

class SourceLines {
 public:
  // What cannot be read names nothing; a text that is no PTX throws nothing.
  explicit SourceLines(std::string_view ptx);

  // The line itself, then for each function around it that was inlined the line that called it.
  // Empty where the compiler does not say.
  [[nodiscard]] std::vector<SourceLine> at(std::uint32_t ptx_line) const;

 private:
  // From its line of PTX up to that of the next one.
  struct Stretch {
    std::uint32_t ptx_line = 0;
    SourcePlace place;  // of no line behind the end of a function
    std::optional<SourcePlace> caller;
    std::optional<std::size_t> callers_stretch;  // an earlier one, which knows the caller's caller
  };

  // False where characters that are no PTX end the reading: what came before them is known.
  bool read(std::string_view ptx);
  // False where the directive is malformed: the tokens behind it are looked at all the same.
  bool read_directive(const Token& word, TokenStream& tokens);
  void add(std::uint32_t ptx_line, const LocDirective& loc);
  void end_function(std::uint32_t ptx_line);
  void name(const SourcePlace& place, std::vector<SourceLine>& lines) const;

  std::vector<Stretch> stretches_;             // ascending
  std::map<SourcePlace, std::size_t> latest_;  // of the function that is being read
  std::uint32_t header_line_ = 0;              // of that function, until it has a line; 0: none
  std::map<std::uint32_t, std::string> files_;
};

}  // namespace emulator::ptx
