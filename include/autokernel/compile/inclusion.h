// Which line of a kernel's file brought in a header: the compiler names the header that an error is
// in, and not what included it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace autokernel::compile {

struct Inclusion {
  std::size_t line = 0;    // of the file, from 1
  std::size_t offset = 0;  // of the header's name in the text
  std::string header;      // "<cub/cub.cuh>", as written
};

// All that stand at the beginning of a line, whatever conditions they are under, and not in a
// comment or a literal.
[[nodiscard]] std::vector<Inclusion> inclusions(std::string_view source);

// Whether the source has an #include of another form: behind a comment, spelled with a digraph or
// over two lines, of a macro. Which file it means is the compiler's to say alone.
[[nodiscard]] bool has_hidden_inclusion(std::string_view source);

// The text with other names in its #include lines: those that `resolve` gives for what stands
// between the marks of each, which are quotation marks or not. None: the name stays.
[[nodiscard]] std::string with_names_resolved(
    std::string text,
    const std::function<std::optional<std::string>(const std::string& name, bool is_quoted)>&
        resolve);

// The #include that led to the header at `path`, as far as the file alone tells it: one that names
// it, or that names a header of the same library, or the only one there is beside autokernel.cuh.
[[nodiscard]] std::optional<Inclusion> inclusion_of(std::string_view source, std::string_view path);

}  // namespace autokernel::compile
