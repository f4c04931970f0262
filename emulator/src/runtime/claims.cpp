#include "runtime/claims.h"

#include <bit>
#include <cstring>

#include "runtime/block.h"

namespace emulator::runtime {
namespace {

constexpr std::size_t kMostTexts = 20;

std::int64_t as_signed(std::uint64_t value, std::uint64_t bits) {
  const std::uint64_t unused = 64 - bits;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

}  // namespace

std::string wrong_in(const Claim& claim, const std::uint64_t (&lanes)[kWarpSize],
                     std::uint32_t mask) {
  const auto scalar_of = [&](unsigned lane) {
    return as_signed(lanes[lane] - static_cast<std::uint64_t>(claim.offset[lane]), claim.bits);
  };
  const auto said = [&](unsigned lane, const std::string& what) {
    return "PTX line " + std::to_string(claim.line) + ", register " + std::to_string(claim.reg) +
           " of " + std::to_string(claim.bits) + " bits, lane " + std::to_string(lane) + ": " +
           std::to_string(as_signed(lanes[lane], claim.bits)) + " " + what;
  };
  const auto first = static_cast<unsigned>(std::countr_zero(mask)) % kWarpSize;
  const std::int64_t scalar = scalar_of(first);
  if (scalar < claim.low || scalar > claim.high) {
    return said(first, "is not within " + std::to_string(claim.low) + " .. " +
                           std::to_string(claim.high) + " and the lane's offset " +
                           std::to_string(claim.offset[first]));
  }
  // Of 0 as many as there are.
  const int zeros = std::countr_zero(static_cast<std::uint64_t>(scalar));
  if (scalar != 0 && static_cast<std::uint64_t>(zeros) < claim.trailing_zeros) {
    return said(first, "has not " + std::to_string(claim.trailing_zeros) + " trailing zeros");
  }
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (scalar_of(lane) == scalar) continue;
    return said(lane, "is not where it should be from lane " + std::to_string(first) + ", " +
                          std::to_string(as_signed(lanes[first], claim.bits)));
  }
  return {};
}

void ClaimCounts::add(const Claim& claim, const std::uint64_t (&lanes)[kWarpSize],
                      std::uint32_t mask) {
  if (mask == 0) return;
  ++compared_;
  std::string text = wrong_in(claim, lanes, mask);
  if (text.empty()) return;
  ++wrong_;
  const std::lock_guard lock(mutex_);
  if (texts_.size() < kMostTexts) texts_.push_back(std::move(text));
}

extern "C" void emu_claim(WarpContext* context, std::uint32_t mask, const Claim* claim) {
  ClaimCounts* const counts = context->block->launch().claims;
  if (counts == nullptr) return;
  std::uint64_t lanes[kWarpSize];
  std::memcpy(lanes, context->value[0], sizeof lanes);
  counts->add(*claim, lanes, mask);
}

}  // namespace emulator::runtime
