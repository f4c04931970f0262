// Texts that occur many times, kept once.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "programs/profile/kept_memory.h"

namespace autokernel::programs {

class NameTable {
 public:
  explicit NameTable(KeptMemory& memory) : memory_(memory) {}

  [[nodiscard]] std::uint32_t index_of(const std::string& name) {
    const auto [entry, is_new] =
        indices_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) {
      memory_.take(2 * (name.size() + sizeof(std::string)) + kNode);
      names_.push_back(name);
    }
    return entry->second;
  }

  [[nodiscard]] std::vector<std::string> take() { return std::move(names_); }

 private:
  static constexpr std::uint64_t kNode = 64;  // of the map, about

  KeptMemory& memory_;
  std::unordered_map<std::string, std::uint32_t> indices_;
  std::vector<std::string> names_;
};

}  // namespace autokernel::programs
