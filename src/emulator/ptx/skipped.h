// Directives that are read and forgotten: debug information and advice to NVIDIA's assembler. Each
// function reads what stands behind the directive's own word.
#pragma once

#include "emulator/ptx/token_stream.h"

namespace emulator::ptx {

void skip_attribute(TokenStream& tokens);  // .attribute(..)
void skip_pragma(TokenStream& tokens);     // .pragma "..", "..";
void skip_loc(TokenStream& tokens);        // .loc 1 2 3, function_name $L+4, inlined_at 1 2 3
void skip_file(TokenStream& tokens);       // .file 1 "a.cu", 123, 456
void skip_section(TokenStream& tokens);    // .section .debug_info { .. }

}  // namespace emulator::ptx
