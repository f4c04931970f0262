#include "ranges.h"

#include <pthread.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>

#include "line.h"
#include "made.h"
#include "now.h"
#include "thread_number.h"

namespace recording {

// The stack of one thread, or of one that has ended: then another may have it.
struct ThreadRanges {
  static constexpr std::uint32_t kMost = 256;

  explicit ThreadRanges(Ranges& owner) : of(&owner) {}

  Ranges* const of;
  ThreadRanges* next = nullptr;
  std::atomic<bool> is_taken{true};
  Lock lock;
  std::uint32_t depth = 0;
  std::uint32_t beyond = 0;  // pushed, but too deep to be kept
  // Only the first `depth` count: to fill the others would take a quarter of a megabyte.
  std::array<OpenRange, kMost> open;  // NOLINT(*-member-init)
};

namespace {

constinit std::atomic<Ranges*> the_ranges{nullptr};
constinit std::atomic<Recorder*> the_ranges_recorder{nullptr};
constinit std::atomic<bool> key_is_made{false};
constinit pthread_key_t key{};
constinit thread_local ThreadRanges* of_thread = nullptr;

void end_all_ranges(Recorder& recorder, Moment moment) {
  Ranges* const ending = the_ranges.load(std::memory_order_acquire);
  if (moment != Moment::at_end || ending == nullptr) return;
  if (the_ranges_recorder.load(std::memory_order_acquire) == &recorder) ending->end_all();
}

}  // namespace

void end_ranges_of_thread(void* ranges_of_thread) {
  auto* const thread = static_cast<ThreadRanges*>(ranges_of_thread);
  of_thread = nullptr;
  if (thread->of == ranges()) thread->of->end_thread(*thread);
}

Ranges* ranges() {
  Recorder* const writing = started_recorder();
  if (writing == nullptr) return nullptr;
  if (the_ranges_recorder.load(std::memory_order_acquire) == writing) {
    return the_ranges.load(std::memory_order_acquire);
  }
  static constinit Lock lock;
  const Locked held{lock};
  if (!held) return nullptr;
  if (the_ranges_recorder.load(std::memory_order_acquire) == writing) {
    return the_ranges.load(std::memory_order_acquire);
  }
  // A child that was forked has the key already.
  if (!key_is_made.exchange(true) && ::pthread_key_create(&key, end_ranges_of_thread) != 0) {
    key_is_made.store(false);
  }
  auto* const made_now = made<Ranges>(*writing);
  the_ranges.store(made_now, std::memory_order_release);
  the_ranges_recorder.store(writing, std::memory_order_release);
  writing->set_program_source(end_all_ranges);
  return made_now;
}

ThreadRanges* Ranges::of_this_thread() {
  if (of_thread != nullptr && of_thread->of == this) return of_thread;
  ThreadRanges* mine = nullptr;
  {
    const Locked held{threads_lock_};
    if (!held) return nullptr;
    for (mine = threads_; mine != nullptr && mine->is_taken.load(); mine = mine->next) {
    }
    if (mine == nullptr) {
      mine = made<ThreadRanges>(*this);
      if (mine == nullptr) return nullptr;
      mine->next = threads_;
      threads_ = mine;
    }
    mine->is_taken.store(true);
  }
  of_thread = mine;
  if (key_is_made.load()) (void)::pthread_setspecific(key, mine);
  return mine;
}

int Ranges::push(const RangeDomain& domain, const RangeText& text) {
  ThreadRanges* const thread = of_this_thread();
  if (thread == nullptr) return -1;
  const Locked held{thread->lock};
  if (!held) return -1;
  int level = 0;
  for (std::uint32_t index = 0; index < thread->depth; ++index) {
    if (thread->open[index].domain.number == domain.number) ++level;
  }
  if (thread->depth == ThreadRanges::kMost) {
    ++thread->beyond;
    recorder_.program.lose();
    return level;
  }
  OpenRange& range = thread->open[thread->depth++];
  range.thread = thread_number();
  range.domain = domain;
  range.text = text;
  range.start = now();
  return level;
}

int Ranges::pop(const RangeDomain& domain) {
  const std::uint64_t end = now();
  ThreadRanges* const thread = of_this_thread();
  if (thread == nullptr) return -1;
  const Locked held{thread->lock};
  if (!held) return -1;
  if (thread->beyond > 0) {
    --thread->beyond;
    return static_cast<int>(ThreadRanges::kMost);
  }
  // The innermost of the domain; those of other domains may be open within it.
  std::uint32_t found = thread->depth;
  while (found > 0 && thread->open[found - 1].domain.number != domain.number) --found;
  if (found == 0) return -1;
  write(thread->open[found - 1], end);
  int level = 0;
  for (std::uint32_t index = 0; index + 1 < found; ++index) {
    if (thread->open[index].domain.number == domain.number) ++level;
  }
  for (std::uint32_t index = found; index < thread->depth; ++index) {
    thread->open[index - 1] = thread->open[index];
  }
  --thread->depth;
  return level;
}

std::uint64_t Ranges::start(const RangeDomain& domain, const RangeText& text) {
  constexpr unsigned kUsesShift = 32;
  const Locked held{started_lock_};
  if (!held) return 0;
  if (started_ == nullptr) {
    started_ = static_cast<Started*>(std::calloc(kMostStarted, sizeof(Started)));
    if (started_ == nullptr) return 0;
  }
  for (std::uint32_t tried = 0; tried < kMostStarted; ++tried) {
    const std::uint32_t place = next_started_++ % kMostStarted;
    Started& started = started_[place];
    if (started.is_open) continue;
    const std::uint32_t uses = started.uses + 1;
    new (&started) Started{.uses = uses, .is_open = true, .range = {}};
    started.range.thread = thread_number();
    started.range.domain = domain;
    started.range.text = text;
    started.range.start = now();
    return (std::uint64_t{uses} << kUsesShift) | (place + 1);
  }
  recorder_.program.lose();
  return 0;
}

void Ranges::end(std::uint64_t id) {
  const std::uint64_t end = now();
  constexpr unsigned kUsesShift = 32;
  const auto place = static_cast<std::uint32_t>(id);
  const Locked held{started_lock_};
  if (!held || started_ == nullptr || place == 0 || place > kMostStarted) return;
  Started& started = started_[place - 1];
  if (!started.is_open || started.uses != static_cast<std::uint32_t>(id >> kUsesShift)) return;
  started.is_open = false;
  write(started.range, end);
}

void Ranges::end_thread(ThreadRanges& thread) {
  {
    const Locked held{thread.lock};
    if (!held) return;
    const std::uint64_t end = now();
    while (thread.depth > 0) write(thread.open[--thread.depth], end);
    thread.beyond = 0;
  }
  thread.is_taken.store(false);
}

void Ranges::end_all() {
  const std::uint64_t end = now();
  {
    const Locked held{threads_lock_};
    for (ThreadRanges* thread = threads_; held && thread != nullptr; thread = thread->next) {
      const Locked of_thread_held{thread->lock};
      while (of_thread_held && thread->depth > 0) write(thread->open[--thread->depth], end);
    }
  }
  const Locked held{started_lock_};
  if (!held || started_ == nullptr) return;
  for (std::uint32_t place = 0; place < kMostStarted; ++place) {
    if (started_[place].is_open) write(started_[place].range, end);
    started_[place].is_open = false;
  }
}

void Ranges::write(const OpenRange& range, std::uint64_t end) {
  // Each byte of a name may need a backslash before it.
  std::array<char, 4 * kMostOfRange> room;  // NOLINT(*-member-init)
  Line line{room, 'R'};
  line.number(range.thread).number(range.start).number(end).text(range.text.view());
  if (range.domain.number != 0) line.text(range.domain.name, kMostOfRange);
  recorder_.program.add(line.done());
}

}  // namespace recording
