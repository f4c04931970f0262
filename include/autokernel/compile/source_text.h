// What a message needs to know of a kernel's files as they are written: where something stands. It
// looks at words and brackets alone, so it is never what decides whether a file is accepted, with
// one exception that is stated at plain_number().
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/compile/program.h"

namespace autokernel::compile {

// Of which names and numbers are made.
[[nodiscard]] bool is_word_character(char c);
[[nodiscard]] std::string without_blanks_around(std::string_view text);
// The bracket that closes the round one at `open`; npos where none does. Comments and literals are
// to be blanked before.
[[nodiscard]] std::size_t closing_bracket(std::string_view text, std::size_t open);
// Where the comment or literal that begins at `at` ends; `at` where none begins.
[[nodiscard]] std::size_t end_of_unread(std::string_view text, std::size_t at);

// The text with comments and literals blanked; every character stays on its line.
[[nodiscard]] std::string without_comments(std::string_view source);

struct KernelText {
  std::string file = {};                // of the source
  std::uint32_t line = 0;               // of its name
  std::vector<std::string> parameters;  // as written, without blanks around them
};
// The first `__global__` function called `name`, a C++ name or its last part.
[[nodiscard]] std::optional<KernelText> find_kernel(const Source& source, std::string_view name);

// Line of the first place where `word` stands outside comments and literals; 0 where it does not.
[[nodiscard]] std::uint32_t line_of_word(std::string_view whole, std::string_view word);
// The same among the files of a source; of its main file, line 0, where no file has it.
[[nodiscard]] SourceLine place_of_word(const Source& source, std::string_view word);
// In which of the files line `line` has the word; the main one where none has.
[[nodiscard]] std::string file_with(const Source& source, std::uint32_t line,
                                    std::string_view word);
// What the file of that name holds; null where it is none of the source's.
[[nodiscard]] const std::string* text_of(const Source& source, std::string_view file);

// What the compiler is told that the file is called: it writes the name into the PTX, between
// quotation marks and, unless the path is absolute, behind the folder it runs in, and puts no
// escapes where one of them holds a quotation mark.
[[nodiscard]] std::string compiled_name(const std::string& file_name);

// "kernel.cu:12: ", or "kernel.cu: " where the line is 0.
[[nodiscard]] std::string place(const std::string& file_name, std::uint32_t line);
[[nodiscard]] std::string place(const SourceLine& line);

}  // namespace autokernel::compile
