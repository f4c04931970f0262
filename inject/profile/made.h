// Objects in memory of malloc's: operator new would need the C++ runtime, and throw.
#pragma once

#include <cstdlib>
#include <new>
#include <utility>

namespace recording {

// Null where there is no memory. Nobody gives back what is made so: the objects that threads and
// CUPTI may use until the very end of the process are never destroyed.
template <typename Object, typename... Arguments>
[[nodiscard]] Object* made(Arguments&&... arguments) {
  void* room = nullptr;
  if (::posix_memalign(&room, alignof(Object) < sizeof(void*) ? sizeof(void*) : alignof(Object),
                       sizeof(Object)) != 0) {
    return nullptr;
  }
  return new (room) Object(std::forward<Arguments>(arguments)...);
}

}  // namespace recording
