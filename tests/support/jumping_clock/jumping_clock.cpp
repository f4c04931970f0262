// Preloaded into a program: its wall clock jumps by a year, forth and back, whenever it is read, or
// is wrong by so many seconds as AUTOKERNEL_TEST_CLOCK says. Its steady clock is left alone.
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <ctime>

namespace {

constexpr time_t kYear = time_t{365} * 24 * 3600;

time_t jump() {
  static std::atomic<unsigned> readings{0};
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets variables
  if (const char* seconds = std::getenv("AUTOKERNEL_TEST_CLOCK")) return std::atol(seconds);
  return readings++ % 2 == 0 ? kYear : -kYear;
}

int read_clock(clockid_t clock, timespec* now) {
  return static_cast<int>(::syscall(SYS_clock_gettime, clock, now));
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* now) {
  const int status = read_clock(clock, now);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    now->tv_sec += jump();
  }
  return status;
}

extern "C" time_t time(time_t* seconds) {
  timespec now{};
  if (read_clock(CLOCK_REALTIME, &now) != 0) return -1;
  now.tv_sec += jump();
  if (seconds != nullptr) *seconds = now.tv_sec;
  return now.tv_sec;
}

// The C library's declaration says that `now` is never null.
extern "C" int gettimeofday(timeval* now, void* /*zone*/) {
  timespec precise{};
  if (read_clock(CLOCK_REALTIME, &precise) != 0) return -1;
  now->tv_sec = precise.tv_sec + jump();
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}
