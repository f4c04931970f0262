// Calls between functions that are compiled for threads which run by themselves: `i32 @f<n>(ptr
// %ctx, i64 %frame)`, n being the function's number in the module. The caller puts the arguments at
// the beginning of the callee's frame, behind its own, and finds the results there. What comes back
// is 1 where the thread has exited, which every caller passes on.
#pragma once

#include <string>

#include "lower/thread_function.h"
#include "lower/writer.h"

namespace emulator::lower {

[[nodiscard]] std::string name_of_function(std::uint32_t index);

// A call of a function that the module defines, or through a pointer.
void lower_thread_call(Writer& writer, const ptx::Instruction& instruction);
// At the beginning of a function: whether its frame and the host's stack hold another activation.
void check_room(Writer& writer);
// The tables that calls through pointers look into.
[[nodiscard]] std::string function_tables(const ptx::Module& module, KernelScope& scope);

}  // namespace emulator::lower
