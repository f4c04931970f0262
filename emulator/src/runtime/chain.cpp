#include "runtime/chain.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <ranges>
#include <thread>
#include <utility>

namespace emulator::runtime {
namespace {

// Each stack is two mappings of memory, of which Linux allows a process 65,530 (vm.max_map_count).
// Those that the workers keep take up to 19,000.
constexpr std::uint64_t kMostStacks = 22'000;

// A thread that has had nothing to do for so many rounds sleeps: the program may take its time with
// the next launch.
constexpr unsigned kMostYields = 1000;
constexpr std::chrono::microseconds kSleep(50);

// Of a launch whose blocks are all under way, as far as they may be at once.
std::uint64_t stacks_of(const Launch& launch, unsigned threads) {
  const std::uint64_t workers = std::min<std::uint64_t>(threads, launch.most_workers);
  const std::uint64_t clusters =
      std::min(launch.cluster_count(), launch.blocks_per_worker * workers);
  return clusters * launch.cluster_size() * launch.unit_count();
}

// Of the stacks that a worker keeps of a launch alone: the first one of each thread as many, all
// others together an eighth.
std::uint64_t kept_stacks(const Launch& launch, std::size_t slot) {
  constexpr unsigned kShift = 3;
  return slot == 0 ? launch.kept_stacks : launch.kept_stacks >> (slot + kShift);
}

}  // namespace

Chain::Chain(ChainSource& source, unsigned threads) : source_(source), threads_(threads) {
  const std::lock_guard lock(mutex_);
  over_ = !join();
}

void Chain::work(Workers& workers) {
  const unsigned thread = arrived_.fetch_add(1);
  std::vector<Part> parts;
  std::uint64_t taken = 0;
  unsigned idle_rounds = 0;
  while (!over_.load(std::memory_order_acquire)) {
    if (joined_.load(std::memory_order_acquire) != taken) {
      take_parts(parts, taken, workers, thread);
    }
    bool moved = false;
    for (Part& part : parts | std::views::reverse) moved = take_turn(part) || moved;
    std::erase_if(parts, [](const Part& part) { return part.over; });
    idle_rounds = advance() || moved ? 0 : idle_rounds + 1;
    if (idle_rounds > kMostYields) {
      std::this_thread::sleep_for(kSleep);
    } else if (idle_rounds != 0) {
      std::this_thread::yield();
    }
  }
}

void Chain::take_parts(std::vector<Part>& parts, std::uint64_t& taken, Workers& workers,
                       unsigned thread) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t joined = joined_.load();
  // None has ended that this thread is not done with.
  const auto first = under_way_.end() - static_cast<std::ptrdiff_t>(joined - taken);
  for (const auto& link : std::ranges::subrange(first, under_way_.end())) {
    std::unique_ptr<Worker>& worker = workers.at(link->slot);
    if (worker == nullptr) worker = std::make_unique<Worker>();
    parts.push_back({link, worker.get()});
    worker->begin(link->launch, link->progress, threads_, kept_stacks(link->launch, link->slot));
    if (thread >= link->launch.most_workers) leave(parts.back());
  }
  taken = joined;
}

bool Chain::take_turn(Part& part) {
  if (part.over) return false;
  const bool moved = turn_moves(part);
  if (!moved && !part.seen_to) {
    part.seen_to = true;
    part.link->seen_to_by.fetch_add(1);
  }
  return moved;
}

bool Chain::turn_moves(Part& part) {
  try {
    const Worker::Turn turn = part.worker->turn();
    if (turn != Worker::Turn::over) return turn == Worker::Turn::moved;
    part.worker->end();
  } catch (...) {
    part.link->progress.stop();
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
  leave(part);
  return true;
}

void Chain::leave(Part& part) {
  part.over = true;
  if (!std::exchange(part.seen_to, true)) part.link->seen_to_by.fetch_add(1);
  part.link->left_by.fetch_add(1);
}

bool Chain::advance() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || over_.load()) return false;
  stop_if_failed();
  bool moved = false;
  while (retire()) moved = true;
  while (join()) moved = true;
  let_go();
  over_.store(under_way_.empty(), std::memory_order_release);
  return moved;
}

bool Chain::retire() {
  if (under_way_.empty() || under_way_.front()->left_by.load() != threads_) return false;
  source_.ended(under_way_.front()->progress.fault());
  under_way_.pop_front();
  if (!under_way_.empty()) under_way_.front()->succession.become_first();
  return true;
}

bool Chain::join() {
  if (stopped_) return false;
  // A chain of none begins, or has ended but for one that there was no room for.
  const bool may_begin = under_way_.empty() ? joined_.load() == 0 || next_ != nullptr
                                            : under_way_.back()->succession.all_triggered();
  if (!may_begin) return false;
  if (next_ == nullptr) next_ = source_.next();
  if (next_ == nullptr || !has_room_for(*next_)) return false;
  under_way_.push_back(std::make_shared<Link>(*std::exchange(next_, nullptr), free_slot()));
  if (under_way_.size() == 1) under_way_.front()->succession.become_first();
  joined_.fetch_add(1, std::memory_order_release);
  return true;
}

bool Chain::has_room_for(const Launch& launch) const {
  if (under_way_.size() == kMostInChain) return false;
  std::uint64_t stacks = 0;
  for (const auto& link : under_way_) stacks += stacks_of(link->launch, threads_);
  return under_way_.empty() || stacks + stacks_of(launch, threads_) <= kMostStacks;
}

std::size_t Chain::free_slot() const {
  std::size_t slot = 0;
  while (std::ranges::find(under_way_, slot, [](const auto& link) { return link->slot; }) !=
         under_way_.end()) {
    ++slot;
  }
  return slot;
}

// Blocks rest until what comes behind them can do no more: the next launch has been seen to, and
// its own blocks either go on too or need these to let another one begin.
void Chain::let_go() {
  if (under_way_.empty()) return;
  const Succession& last = under_way_.back()->succession;
  const bool all_triggered = last.all_triggered();
  // They may have done so since one was last asked to join.
  if (all_triggered && join()) return;
  bool goes_on = all_triggered && (next_ != nullptr || !source_.expects_next());
  for (const auto& link : under_way_ | std::views::reverse) {
    Succession& succession = link->succession;
    if (goes_on) succession.let_go();
    goes_on =
        link->seen_to_by.load() == threads_ && (!succession.all_triggered() || !succession.holds());
  }
}

// A fault ends all launches of the chain. No other joins them, so that none of their blocks rests
// for it.
void Chain::stop_if_failed() {
  if (stopped_) return;
  stopped_ = failure_ != nullptr || std::ranges::any_of(under_way_, [](const auto& link) {
               return link->progress.stopped();
             });
  if (!stopped_) return;
  for (const auto& link : under_way_) {
    link->progress.stop();
    link->succession.let_go();
  }
}

std::string Chain::whereabouts() {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const auto& link : under_way_) {
    UnitPositions positions{.unit = link->launch.unit};
    link->progress.add_positions(positions);
    const std::string words = positions.text(link->launch.lines);
    if (words.empty()) continue;
    if (!text.empty()) text += "; of a later launch: ";
    text += words;
  }
  return text;
}

}  // namespace emulator::runtime
