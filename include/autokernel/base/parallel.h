// A loop over independent parts on more than one thread, such as the harness's own work between
// launches.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace autokernel {

// Calls work(first, end) for parts that together are [0, count), at the same time, and comes back
// when all are done. `cost` is about how many elementary steps one item takes; small work stays on
// this thread. `work` must not throw.
void in_parallel(std::size_t count, std::size_t cost,
                 const std::function<void(std::size_t, std::size_t)>& work);

// The same of memory, whose parts are worth a thread each where they are long enough.
void in_parallel_over_bytes(std::size_t bytes,
                            const std::function<void(std::size_t, std::size_t)>& work);
// `to` is as long.
void copy_in_parallel(std::span<const std::byte> from, std::span<std::byte> to);

}  // namespace autokernel
