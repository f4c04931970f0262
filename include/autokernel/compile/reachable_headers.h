// Which of a library's headers a source can include.
#pragma once

#include <map>
#include <span>
#include <string>

#include "autokernel/compile/program.h"

namespace autokernel::compile {

// By the name that the compiler asks for: "cute/tensor.hpp".
using Headers = std::map<std::string, std::string>;

// Of `folders`, the first of which wins where two have a header of the same name, those that a file
// of `source` includes, and those that these include, whatever conditions they stand under: a
// library has thousands, and each process of a trial is handed what is left. The source's own files
// are none of them. What a header includes from beside itself is written out in it ("detail/x.h" in
// "a/y.h" as "a/detail/x.h"), as NVRTC would not find it else.
[[nodiscard]] Headers reachable_headers(const Source& source,
                                        std::span<const Headers* const> folders);

// The source's own files that its main file includes, or that these include, whatever conditions
// they stand under.
[[nodiscard]] std::map<std::string, std::string> own_files_in_use(const Source& source);

// With the names by which the source's own files are included written out in the same way, in its
// text and in these files.
[[nodiscard]] Source with_own_names_resolved(const Source& source);

}  // namespace autokernel::compile
