#include "runtime/register_pool.h"

namespace emulator::runtime {

std::uint32_t& RegisterPool::of(std::uint32_t warp, std::uint32_t at_entry) {
  if (of_warp_.size() < warps_) of_warp_.resize(warps_);
  std::uint32_t& registers = of_warp_[warp];
  if (registers == 0) registers = at_entry;
  return registers;
}

RegisterPool::Outcome RegisterPool::give_up(std::uint32_t warp, std::uint32_t at_entry,
                                            std::uint32_t count) {
  std::uint32_t& registers = of(warp, at_entry);
  if (count > registers) return Outcome::wrong;
  free_ += registers - count;
  registers = count;
  return Outcome::done;
}

RegisterPool::Outcome RegisterPool::take(std::uint32_t warp, std::uint32_t at_entry,
                                         std::uint32_t count) {
  std::uint32_t& registers = of(warp, at_entry);
  if (count < registers) return Outcome::wrong;
  if (count - registers > free_) return Outcome::short_of;
  free_ -= count - registers;
  registers = count;
  return Outcome::done;
}

}  // namespace emulator::runtime
