// An event in words, as a person reads it on a phone.
#pragma once

#include <string>

#include "autokernel/notify/event.h"

namespace autokernel::notify {

// "tiles: experiment 12 was kept". One visible line.
[[nodiscard]] std::string title_of(const Event& event);
// What there is to say beyond the title, in visible lines of UTF-8 of at most a few hundred
// characters in all; may be empty.
[[nodiscard]] std::string text_of(const Event& event);

}  // namespace autokernel::notify
