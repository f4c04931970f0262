// What an event is given when it is posted.
#pragma once

#include "autokernel/notify/event.h"

namespace autokernel::notify {

// An id that no other event has, and the time, where it has none.
void stamp(Event& event);

}  // namespace autokernel::notify
