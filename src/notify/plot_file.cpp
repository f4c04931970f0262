#include "notify/plot_file.h"

#include <optional>
#include <string_view>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"

namespace autokernel::notify {
namespace {

constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";
constexpr std::size_t kMegabyte = 1U << 20U;

}  // namespace

std::size_t largest_plot(Kind kind) {
  switch (kind) {
    case Kind::discord:
    case Kind::ntfy:
      return 8 * kMegabyte;
    case Kind::json:
      return kMegabyte;
    case Kind::slack:
      break;
  }
  return 0;
}

std::string plot_bytes(const std::filesystem::path& file, std::size_t largest) {
  if (file.empty() || largest == 0) return {};
  std::optional<std::string> bytes;
  try {
    bytes = read_file_below(file.parent_path(), file.filename(), "the plot", largest);
  } catch (const Error&) {
    return {};  // a message without its picture is better than none
  }
  return bytes && bytes->starts_with(kPngSignature) ? std::move(*bytes) : std::string();
}

}  // namespace autokernel::notify
