#include "api/cache_settings.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace emulator::api {
namespace {

// Some thousand kernels of the usual size.
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20U;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read once, by cuInit
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::uint64_t most_bytes() {
  const std::string_view text = variable("CUDA_CACHE_MAXSIZE");
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  const bool sensible = error == std::errc() && end == text.data() + text.size();
  return sensible ? bytes : kMostBytes;
}

std::filesystem::path folder() {
  if (const auto path = variable("CUDA_CACHE_PATH"); !path.empty()) return path;
  constexpr const char* kName = "autokernel-cpu";
  if (const auto cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return std::filesystem::path(cache) / kName;
  if (const auto home = variable("HOME"); !home.empty())
    return std::filesystem::path(home) / ".cache" / kName;
  return {};
}

}  // namespace

std::optional<CacheSettings> cache_settings() {
  const std::string_view disable = variable("CUDA_CACHE_DISABLE");
  if (!disable.empty() && disable != "0") return std::nullopt;
  CacheSettings settings{folder(), most_bytes()};
  if (settings.folder.empty() || settings.most_bytes == 0) return std::nullopt;
  return settings;
}

}  // namespace emulator::api
