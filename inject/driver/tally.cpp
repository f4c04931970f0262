#include "driver/tally.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "driver/replacement.h"

namespace autokernel::inject {
namespace {

constexpr std::uint64_t kMagic = 0x31594c4c41544b41;  // "AKTALLY1"

struct Header {
  std::uint64_t magic;
  std::uint64_t process;
  std::uint64_t count;  // of tallies
  ProcessTally common;
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              sizeof(std::atomic<std::uint64_t>) == sizeof(std::uint64_t));

struct Mapped {
  Header* header;
  Tally* tallies;
};

// A process that replaces itself (exec) has a file for each of its programs.
[[nodiscard]] int new_file(const std::string& folder) {
  constexpr int kMostOfAProcess = 100;
  for (int number = 1; number <= kMostOfAProcess; ++number) {
    const std::string path =
        folder + "/" + std::to_string(getpid()) + "-" + std::to_string(number) + ".tally";
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

[[nodiscard]] Mapped made() {
  const std::size_t count = replacements().all.size();
  const std::size_t bytes = sizeof(Header) + count * sizeof(Tally);
  void* memory = MAP_FAILED;
  const std::string& folder = replacements().tallies;
  const int file = folder.empty() ? -1 : new_file(folder);
  if (file >= 0) {
    if (ftruncate(file, static_cast<off_t>(bytes)) == 0) {
      memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    close(file);
  }
  // A process's own then, where a file is missing.
  if (memory == MAP_FAILED) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  if (memory == MAP_FAILED) std::abort();
  auto* const header = static_cast<Header*>(memory);
  header->magic = kMagic;
  header->process = static_cast<std::uint64_t>(getpid());
  header->count = count;
  return {header, reinterpret_cast<Tally*>(static_cast<char*>(memory) + sizeof(Header))};
}

std::atomic<Mapped*> current{nullptr};

[[nodiscard]] Mapped& mapped() {
  Mapped* known = current.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  static std::atomic_flag being_made = ATOMIC_FLAG_INIT;
  while (being_made.test_and_set(std::memory_order_acquire)) {
  }
  known = current.load(std::memory_order_acquire);
  if (known == nullptr) {
    // A child that is forked counts for itself.
    static const int watched =
        pthread_atfork(nullptr, nullptr, [] { current.store(nullptr, std::memory_order_release); });
    (void)watched;
    known = new Mapped(made());
    current.store(known, std::memory_order_release);
  }
  being_made.clear(std::memory_order_release);
  return *known;
}

}  // namespace

Tally& tally(std::size_t replacement) { return mapped().tallies[replacement]; }
ProcessTally& process_tally() { return mapped().header->common; }

}  // namespace autokernel::inject
