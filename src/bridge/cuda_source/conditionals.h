// The preprocessor's conditionals: which parts of a source there are at all. The grammar knows them
// between statements, but not in the middle of one.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "autokernel/bridge/note.h"

namespace autokernel::bridge {

// Names and values of what is defined so far, by a file and those that it includes.
using Defined = std::map<std::string, std::string>;

// What the compiler of kernels defines, as far as sources ask for it.
[[nodiscard]] Defined defined_by_the_compiler();

// The text with all that is not compiled, and the directives that decide it, replaced by spaces, so
// that everything else is where it was. What the text itself defines is added to `defined`. A
// condition that asks for a name which nothing defines is noted: it does not hold. `included` is
// told the name of each header where the text includes it.
[[nodiscard]] std::string without_conditionals(
    const std::string& file, std::string text, Defined& defined, std::vector<Note>& notes,
    const std::function<void(const std::string&)>& included = [](const std::string&) {});

}  // namespace autokernel::bridge
