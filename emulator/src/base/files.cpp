#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace emulator::base {
namespace {

class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  OpenFile(OpenFile&&) = delete;
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile() {
    if (is_open()) ::close(descriptor_);
  }

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

[[nodiscard]] bool write_all(const OpenFile& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::optional<std::string> read_file(const std::filesystem::path& path, std::uint64_t most_bytes) {
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || size > most_bytes) return std::nullopt;

  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(size));
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t count = ::read(file.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(count));
    // It may have grown meanwhile.
    if (bytes.size() > most_bytes) return std::nullopt;
  }
}

void replace_file(const std::filesystem::path& path, std::string_view bytes) {
  // Beside the file and not in /tmp: a rename is atomic only within one file system.
  const std::string unfinished = "." + path.filename().string() + ".XXXXXX";
  std::string temporary = (path.parent_path() / unfinished).string();
  const OpenFile file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.is_open()) return;
  if (!write_all(file, bytes) || ::rename(temporary.c_str(), path.c_str()) != 0) {
    ::unlink(temporary.c_str());
  }
}

}  // namespace emulator::base
