#include "ledger/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "autokernel/base/system_error.h"

namespace autokernel::ledger {
namespace {

// Readable as the umask allows: the record is no secret within a team.
constexpr mode_t kMode = 0666;

[[nodiscard]] Error failure(const char* what, const std::filesystem::path& path, const char* call) {
  const int number = errno;
  return system_failure(Stop::environment, std::string("cannot ") + what + " " + path.string(),
                        call, number);
}

}  // namespace

// None where open() fails with `none`.
std::optional<File> File::opened(const std::filesystem::path& path, int flags, int none,
                                 bool is_new) {
  // A named pipe in the file's place must not hold the program up, and what is written must not go
  // by way of a link into a file of somebody else's.
  constexpr int kFlags = O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
  Descriptor descriptor(::open(path.c_str(), flags | kFlags, kMode));
  if (!descriptor.is_open()) {
    if (errno == none) return std::nullopt;
    if (errno == ELOOP) {
      throw Error(Stop::environment,
                  "cannot open " + path.string() + ": it is a symbolic link; move it away");
    }
    throw failure("open", path, "open");
  }
  struct stat status{};
  if (::fstat(descriptor.get(), &status) != 0) throw failure("open", path, "fstat");
  if (!S_ISREG(status.st_mode)) {
    throw Error(Stop::environment,
                "cannot open " + path.string() + ": it is not a regular file; move it away");
  }
  return File(path, std::move(descriptor), is_new);
}

File File::open_or_make(const std::filesystem::path& path) {
  if (std::optional<File> file = open_if_there(path)) return std::move(*file);
  if (std::optional<File> file = opened(path, O_RDWR | O_CREAT, ENOENT, true))
    return std::move(*file);
  throw failure("open", path, "open");  // its folder is missing
}

std::optional<File> File::open_if_there(const std::filesystem::path& path) {
  return opened(path, O_RDWR, ENOENT, false);
}

std::optional<File> File::open_to_read(const std::filesystem::path& path) {
  return opened(path, O_RDONLY, ENOENT, false);
}

std::optional<File> File::make_new(const std::filesystem::path& path) {
  return opened(path, O_RDWR | O_CREAT | O_EXCL, EEXIST, true);
}

std::uint64_t File::size() const {
  struct stat status{};
  if (::fstat(descriptor_.get(), &status) != 0) throw failure("read", path_, "fstat");
  return static_cast<std::uint64_t>(status.st_size);
}

std::string File::read(std::uint64_t offset, std::uint64_t length) const {
  std::string bytes;
  read_behind(bytes, offset, length);
  return bytes;
}

bool File::read_behind(std::string& text, std::uint64_t offset, std::uint64_t length) const {
  const std::uint64_t end = size();
  if (offset >= end) return false;
  const std::size_t before = text.size();
  text.resize(before + static_cast<std::size_t>(std::min(length, end - offset)));
  std::size_t done = before;
  while (done < text.size()) {
    const ssize_t count = ::pread(descriptor_.get(), text.data() + done, text.size() - done,
                                  static_cast<off_t>(offset + (done - before)));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw failure("read", path_, "pread");
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  text.resize(done);
  return done > before;
}

void File::write(std::uint64_t offset, std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw failure("write", path_, "pwrite");
    offset += static_cast<std::uint64_t>(count);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void File::write_whole(std::uint64_t offset, std::string_view bytes) const {
  const std::uint64_t before = size();
  try {
    write(offset, bytes);
    sync();
  } catch (const Error&) {
    // Where this fails, too, the first failure is the one to tell of, and the next opening finds
    // the rest.
    static_cast<void>(::ftruncate(descriptor_.get(), static_cast<off_t>(before)));
    throw;
  }
}

void File::cut(std::uint64_t size) const {
  while (::ftruncate(descriptor_.get(), static_cast<off_t>(size)) != 0) {
    if (errno != EINTR) throw failure("cut", path_, "ftruncate");
  }
}

void File::sync() const {
  if (::fsync(descriptor_.get()) != 0) throw failure("write", path_, "fsync");
}

void File::lock() const { wait_for(LOCK_EX); }

void File::lock_to_read() const { wait_for(LOCK_SH); }

void File::wait_for(int operation) const {
  while (::flock(descriptor_.get(), operation) != 0) {
    if (errno != EINTR) return;
  }
}

void sync_folder(const std::filesystem::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open()) throw failure("write into", folder, "open");
  // Some file systems cannot sync a folder and say so by EINVAL.
  if (::fsync(descriptor.get()) != 0 && errno != EINVAL) {
    throw failure("write into", folder, "fsync");
  }
}

bool is_part_of(std::string_view there, std::string_view text) {
  return there.size() <= text.size() &&
         std::ranges::equal(there, text.substr(0, there.size()),
                            [](char is, char ought) { return is == ought || is == '\0'; });
}

}  // namespace autokernel::ledger
