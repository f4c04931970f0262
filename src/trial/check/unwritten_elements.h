// Elements of an output that the kernel left as they were: the random bits that the memory was
// filled with follow from the launch's key, so whoever has the key knows them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trial/launch/kernel_launcher.h"

namespace autokernel::trial {

// How many elements of output `tensor` still have those bits and should have others, which
// `expected` holds; 0 where `element` is none of them, or where chance explains it. It makes the
// bits anew: only for a message about a launch that is wrong.
[[nodiscard]] std::uint64_t count_unwritten(const LaunchRecord& launch, std::size_t tensor,
                                            const Bytes& expected, std::uint64_t element);

}  // namespace autokernel::trial
