// Directives that are read and forgotten: sections of debug information and advice to NVIDIA's
// assembler. Each function reads what stands behind the directive's own word.
#pragma once

#include "ptx/token_stream.h"

namespace emulator::ptx {

void skip_attribute(TokenStream& tokens);  // .attribute(..)
void skip_pragma(TokenStream& tokens);     // .pragma "..", "..";
void skip_section(TokenStream& tokens);    // .section .debug_info { .. }

}  // namespace emulator::ptx
