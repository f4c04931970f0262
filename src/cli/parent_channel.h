// The hidden subcommands' end of the channel to the process that started them.
#pragma once

#include <string>
#include <string_view>

#include "autokernel/base/descriptor.h"

namespace autokernel::cli {

// The channel on kMessagesDescriptor. Throws Error(usage) where there is none: a user called
// `hidden`, and is referred to `instead`.
[[nodiscard]] Descriptor parent_channel(const std::string& hidden, const std::string& instead);

// Writes all of it. Throws Error(internal).
void send(const Descriptor& channel, std::string_view bytes);

// Ends this process with that code, once all is said and everything that has an owner is given
// back, without what libraries do at an exit: a GPU's driver spends 80 ms there on what the system
// does anyway.
[[noreturn]] void leave(int code);

}  // namespace autokernel::cli
