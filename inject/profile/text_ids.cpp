#include "text_ids.h"

#include <cstdlib>
#include <cstring>

namespace recording {
namespace {

constexpr std::uint32_t kFirstSlots = 256;

// FNV-1a over words of eight bytes: the names of kernels are some hundred bytes long, and each
// kernel's is looked up.
std::uint64_t hash_of(std::string_view text) {
  constexpr std::uint64_t kPrime = 0x100000001B3;
  std::uint64_t hash = 0xCBF29CE484222325 ^ text.size();
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof word);
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 32U;
    text.remove_prefix(sizeof word);
  }
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
  return hash ^ (hash >> 29U);
}

}  // namespace

std::uint32_t* TextIds::slot_of(std::uint64_t hash, std::string_view text) {
  for (std::uint64_t place = hash;; ++place) {
    std::uint32_t& number = slots_[place & (slot_count_ - 1)];
    if (number == 0) return &number;
    const Entry& entry = entries_[number - 1];
    if (entry.hash == hash && std::string_view{entry.text, entry.size} == text) return &number;
  }
}

TextIds::Id TextIds::of(std::string_view text) {
  const std::uint64_t hash = hash_of(text);
  if (slot_count_ != 0) {
    const std::uint32_t number = *slot_of(hash, text);
    if (number != 0) return {.number = number, .is_new = false};
  }
  if (count_ == most_ || (slot_count_ < 2 * (count_ + 1) && !grown())) return {};
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) return {};
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  entries_[count_++] = {.hash = hash, .text = copy, .size = text.size()};
  *slot_of(hash, text) = count_;
  return {.number = count_, .is_new = true};
}

std::string_view TextIds::text_of(std::uint32_t number) const {
  if (number == 0 || number > count_) return {};
  const Entry& entry = entries_[number - 1];
  return {entry.text, entry.size};
}

// Where there is no memory for more, all stays as it was.
bool TextIds::grown() {
  const std::uint32_t slot_count = slot_count_ == 0 ? kFirstSlots : 2 * slot_count_;
  auto* const slots = static_cast<std::uint32_t*>(std::calloc(slot_count, sizeof(std::uint32_t)));
  auto* const entries = static_cast<Entry*>(std::realloc(entries_, slot_count / 2 * sizeof(Entry)));
  if (entries != nullptr) entries_ = entries;
  if (slots == nullptr || entries == nullptr) {
    std::free(slots);
    return false;
  }
  for (std::uint32_t number = 1; number <= count_; ++number) {
    std::uint64_t slot = entries_[number - 1].hash;
    while (slots[slot & (slot_count - 1)] != 0) ++slot;
    slots[slot & (slot_count - 1)] = number;
  }
  std::free(slots_);
  slots_ = slots;
  slot_count_ = slot_count;
  return true;
}

}  // namespace recording
