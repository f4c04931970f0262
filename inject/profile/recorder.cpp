#include "recorder.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "line.h"
#include "made.h"
#include "now.h"
#include "thread_number.h"

namespace recording {
namespace {

// A tenth of a second is what a killed program loses at most of its own doings.
constexpr long kPeriodNanoseconds = 100'000'000;
constexpr std::size_t kWriterStackBytes = 512UL << 10U;

enum class Stage : std::uint8_t { not_started, starting, started, over };

// The only objects of static storage, all of them without destructors: CUDA calls us until the
// very end of the process, when other destructors have run.
constinit std::atomic<Recorder*> the_recorder{nullptr};
// Also after its end, so that it does not look forgotten to who looks for leaks in the program.
constinit std::atomic<Recorder*> latest_recorder{nullptr};
constinit std::atomic<Stage> stage{Stage::not_started};
constinit std::array<char, 4096> folder{};
constinit std::atomic<bool> end_is_awaited{false};

bool folder_is_named() {
  if (folder[0] != '\0') return true;
  const char* const named = ::secure_getenv("AUTOKERNEL_PROFILE_DIR");
  if (named == nullptr || *named == '\0') return false;
  const int size = std::snprintf(folder.data(), folder.size(), "%s", named);
  if (size > 0 && static_cast<std::size_t>(size) < folder.size()) return true;
  folder[0] = '\0';
  return false;
}

void end_of_program() {
  Recorder* const ending = the_recorder.exchange(nullptr, std::memory_order_acq_rel);
  stage.store(Stage::over, std::memory_order_release);
  if (ending != nullptr) ending->end();
}

// The child starts anew: its parent's threads are not in it, and their locks may be held for ever.
void leave_to_parent() {
  Recorder* const parents = the_recorder.exchange(nullptr, std::memory_order_acq_rel);
  stage.store(Stage::not_started, std::memory_order_release);
  if (parents != nullptr) parents->abandon_files();
  forget_thread_number();
}

}  // namespace

Recorder* recorder() { return the_recorder.load(std::memory_order_acquire); }

Recorder* started_recorder() {
  for (;;) {
    Stage seen = Stage::not_started;
    if (stage.compare_exchange_strong(seen, Stage::starting, std::memory_order_acq_rel)) break;
    if (seen != Stage::starting) return recorder();
    std::timespec moment{.tv_sec = 0, .tv_nsec = 100'000};
    ::nanosleep(&moment, nullptr);
  }
  Recorder* const made_now = folder_is_named() ? made<Recorder>(folder.data()) : nullptr;
  if (made_now != nullptr) {
    // A child inherits both of these.
    if (!end_is_awaited.exchange(true)) {
      (void)::pthread_atfork(nullptr, nullptr, leave_to_parent);
      close_before_what_is_loaded();
    }
    latest_recorder.store(made_now);
    made_now->start_writing();
    the_recorder.store(made_now, std::memory_order_release);
  }
  stage.store(made_now != nullptr ? Stage::started : Stage::not_started, std::memory_order_release);
  return made_now;
}

// What is to be done at the end is done in the opposite order of its registration.
void close_before_what_is_loaded() { (void)std::atexit(end_of_program); }

Recorder::Recorder(const char* record_folder)
    : gpu_file(record_folder, "gpu", "CUPTI 0"),
      program_file(record_folder, "program", "program"),
      process_(::getpid()) {
  pthread_condattr_t of_monotonic_clock;
  ::pthread_condattr_init(&of_monotonic_clock);
  ::pthread_condattr_setclock(&of_monotonic_clock, CLOCK_MONOTONIC);
  ::pthread_cond_init(&told_changed_, &of_monotonic_clock);
  ::pthread_condattr_destroy(&of_monotonic_clock);
}

void Recorder::context_ends() {
  const Source source = gpu_source_.load(std::memory_order_acquire);
  if (source != nullptr) source(*this, Moment::context_ends);
}

void Recorder::warn(std::string_view sentence) {
  std::array<char, 1024> room{};
  gpu_file.write(Line{room, 'W'}.text(sentence).done());
}

// Without the thread, where there can be none, the spools are written when they are full.
void Recorder::start_writing() {
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kWriterStackBytes);
  // The program's signals are for its own threads.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  writer_runs_ = ::pthread_create(&writer_, &attributes, write_until_told, this) == 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_attr_destroy(&attributes);
}

void* Recorder::write_until_told(void* recorder) {
  auto* const self = static_cast<Recorder*>(recorder);
  (void)::pthread_setname_np(::pthread_self(), "autokernel");
  while (self->wait_for_next_time()) self->write(Moment::meanwhile);
  return nullptr;
}

void Recorder::write(Moment moment) {
  for (const Source source : {gpu_source_.load(std::memory_order_acquire),
                              program_source_.load(std::memory_order_acquire)}) {
    if (source != nullptr) source(*this, moment);
  }
  gpu.drain();
  program.drain();
}

bool Recorder::wait_for_next_time() {
  constexpr long kSecond = 1'000'000'000;
  std::timespec until{};
  ::clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += kPeriodNanoseconds;
  if (until.tv_nsec >= kSecond) {
    until.tv_nsec -= kSecond;
    ++until.tv_sec;
  }
  ::pthread_mutex_lock(&told_lock_);
  while (!told_to_stop_ &&
         ::pthread_cond_timedwait(&told_changed_, &told_lock_, &until) != ETIMEDOUT) {
  }
  const bool go_on = !told_to_stop_;
  ::pthread_mutex_unlock(&told_lock_);
  return go_on;
}

// Waits for the thread, which may be inside CUPTI, but not for ever.
void Recorder::stop_writing() {
  if (!writer_runs_) return;
  ::pthread_mutex_lock(&told_lock_);
  told_to_stop_ = true;
  ::pthread_cond_signal(&told_changed_);
  ::pthread_mutex_unlock(&told_lock_);
  constexpr std::time_t kPatienceSeconds = 5;
  std::timespec until{};
  ::clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += kPatienceSeconds;
  (void)::pthread_timedjoin_np(writer_, nullptr, &until);
}

void Recorder::end() {
  // A child that was made without fork(), by clone() say, did not run leave_to_parent().
  if (::getpid() != process_) return;
  stop_writing();
  write(Moment::at_end);
  std::array<char, 64> room{};
  const std::string_view line = Line{room, 'E'}.number(now()).done();
  gpu_file.end(line);
  program_file.end(line);
}

void Recorder::abandon_files() {
  gpu_file.abandon();
  program_file.abandon();
}

}  // namespace recording
