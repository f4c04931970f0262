// The kernel's number of the calling thread, which debuggers and other profilers show as well.
#pragma once

#include <cstdint>

namespace recording {

[[nodiscard]] std::uint64_t thread_number();

// In a child that was forked: its one thread has a number of its own.
void forget_thread_number();

}  // namespace recording
