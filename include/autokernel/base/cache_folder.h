// Where this program keeps what it can make again, and logs that belong to no repository.
#pragma once

#include <filesystem>

namespace autokernel {

// autokernel/ below $XDG_CACHE_HOME, else below $HOME/.cache, else a folder of this user's in the
// temporary folder. It need not exist.
[[nodiscard]] std::filesystem::path cache_folder();

// Whether nobody else can put anything into it, or has made it: what this program believes that it
// has written there itself. False where it is not there.
[[nodiscard]] bool is_cache_folder_own();

}  // namespace autokernel
