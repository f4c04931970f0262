#include "runtime/reservation.h"

#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <limits>
#include <new>
#include <utility>

namespace emulator::runtime {
namespace {

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (bytes > std::numeric_limits<std::size_t>::max() - page) throw std::bad_alloc();
  return (bytes + page - 1) / page * page;
}

// Where to ask for pages: anywhere in 32 TiB. The system would put them side by side, below an
// address that is drawn once for the process, so that a program's luck with a bit of its addresses
// would last as long. Null, for anywhere the system likes, where it has no random numbers, and
// under sanitizers, which keep most addresses to themselves.
void* drawn_place() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return nullptr;
#else
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 44;
  constexpr std::uint64_t kRoom = std::uint64_t{1} << 45;
  std::uint64_t drawn = 0;
  if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn) return nullptr;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): no memory yet, a hint to mmap.
  return reinterpret_cast<void*>(kFirst + drawn % kRoom / page * page);
#endif
}

}  // namespace

Reservation::Reservation(std::size_t bytes, std::size_t guard_bytes, Place place) {
  const std::size_t guard = whole_pages(guard_bytes);
  const std::size_t size = whole_pages(bytes);
  if (size > std::numeric_limits<std::size_t>::max() - 2 * guard) throw std::bad_alloc();
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* begin = place == Place::low
                    ? mmap(nullptr, size + 2 * guard, PROT_NONE, kFlags | MAP_32BIT, -1, 0)
                    : mmap(drawn_place(), size + 2 * guard, PROT_NONE, kFlags, -1, 0);
  if (begin == MAP_FAILED) throw std::bad_alloc();
  begin_ = static_cast<std::uint8_t*>(begin);
  span_ = size + 2 * guard;
  data_ = begin_ + guard;
  size_ = size;
  if (size != 0 && mprotect(data_, size, PROT_READ | PROT_WRITE) != 0) {
    munmap(begin_, span_);
    throw std::bad_alloc();
  }
}

Reservation::Reservation(Reservation&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)),
      span_(std::exchange(other.span_, 0)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(span_, other.span_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Reservation::~Reservation() {
  if (begin_ != nullptr) munmap(begin_, span_);
}

void Reservation::retire() noexcept {
  if (size_ == 0) return;
  // Mapping afresh drops the pages and lets the kernel merge the area with its guards into one
  // entry.
  void* const fresh =
      mmap(data_, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (fresh == MAP_FAILED) mprotect(data_, size_, PROT_NONE);
}

}  // namespace emulator::runtime
