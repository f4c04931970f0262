// The picture of a run, read from a folder that an agent can write to.
#pragma once

#include <filesystem>
#include <string>

#include "autokernel/notify/configuration.h"

namespace autokernel::notify {

// The largest plot that is attached, in bytes: Discord takes 8 MiB and more; in JSON it becomes a
// third larger, and servers of one's own mostly take a megabyte or two. 0: the service takes none.
[[nodiscard]] std::size_t largest_plot(Kind kind);

// The bytes of a PNG file of at most so many; empty where there is no such file: it is missing, too
// large, a symbolic link (which could lead to anything that the user can read), or no PNG.
[[nodiscard]] std::string plot_bytes(const std::filesystem::path& file, std::size_t largest);

}  // namespace autokernel::notify
